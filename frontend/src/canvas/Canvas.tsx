import {
  Background,
  BackgroundVariant,
  type Connection,
  ControlButton,
  Controls,
  type EdgeChange,
  type FinalConnectionState,
  MiniMap,
  type NodeChange,
  ReactFlow,
  type ReactFlowInstance,
  type Viewport,
} from "@xyflow/react";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { addGroupHere } from "../add/adding";
import { DRAGGED_TYPE, GROUP } from "../add/dragged";
import { actAsSeen, actOn } from "../folds";
import { around, homeOf, withContents } from "../model/bodies";
import { HEIGHT, WIDTH, boxOf, containerAt, sizeOf, spotOf } from "../model/boxes";
import { addStep, connect, moveSteps, reconnect, usualCondition } from "../model/commands";
import type { Doc, Place } from "../model/document";
import { titleOf, whyNot } from "../model/graph";
import { figuresOf } from "../model/heat";
import { drawn } from "../model/levels";
import { moveInto } from "../model/moving";
import { byStep } from "../model/people";
import { openCounts, spokenOf } from "../model/talk";
import { act, hasRoomFor, say, seen, select, set, state, theOne, useBuilder, wantFocus } from "../store";
import { Icon } from "../Icon";
import { pathOf } from "../model/routes";
import { FlowLine } from "./FlowLine";
import { HeatSwitch } from "./HeatSwitch";
import { GroupFrame, NoteCard } from "./NoteCard";
import { StepCard } from "./StepCard";
import { type AnyEdge, type AnyNode, Drawer, type FlowEdge } from "./nodes";
import { beginning } from "./opening";
import { MapStep, showLines } from "./MapStep";
import { StartCard, StartLine } from "./StartCard";
import { startEdges } from "./startNodes";
import { startsOf } from "./starts";
import { FIT_PADDING, READABLE, fit, keepInstance, show } from "./view";

const NODE_TYPES = { step: StepCard, note: NoteCard, "group-box": GroupFrame, start: StartCard };
const EDGE_TYPES = { flow: FlowLine, start: StartLine };
/** Who has larger texts sees the canvas nearer. */
const NEAR = Math.min(2, parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1);
const FIT = { padding: FIT_PADDING, maxZoom: NEAR };
/** All of a workflow is in sight at some zoom, however long it is. */
const LEAST = 0.01;
/** Below these zooms titles are drawn larger. */
const FAR = [0.45, 0.28];
const MANY = 250;
/** So few steps need no map: it would only stand before them. */
const FEW = 12;
const DRAG_NAMES: Record<string, string> = {
  "node.a11yDescription.default": "Enter selects the step, arrow keys move it, Delete removes it.",
};

/** The graph, to be looked at and worked on. */
export function Canvas() {
  const doc = useBuilder(seen);
  const catalogue = useBuilder((now) => now.catalogue);
  const problems = useBuilder((now) => now.problems);
  const picked = useBuilder((now) => now.selected);
  const marks = useBuilder((now) => now.marks);
  const trial = useBuilder((now) => now.trial);
  const heated = useBuilder((now) => now.heat);
  const isPublished = useBuilder((now) => now.boot.latest !== null);
  const mayWrite = useBuilder((now) => now.boot.may_write);
  const people = useBuilder((now) => now.people);
  const comments = useBuilder((now) => now.comments);
  const here = useMemo(() => byStep(people), [people]);
  const talk = useMemo(() => openCounts(comments), [comments]);
  const heat = useMemo(() => figuresOf(heated.rows ?? []), [heated.rows]);
  const shown = useMemo(() => drawn(doc), [doc]);
  const statuses = useMemo(() => new Map((trial?.steps ?? []).map((step) => [step.node, step])), [trial]);
  const [dragged, setDragged] = useState<Record<string, Place>>({});
  const [over, setOver] = useState<string | null>(null);
  const drawer = useRef(new Drawer());
  const flow = useRef<ReactFlowInstance<AnyNode, AnyEdge> | null>(null);
  const selected = useMemo(() => new Set([...picked.nodes, ...picked.edges, ...picked.notes]), [picked]);
  const heatBy = heated.by;
  const given = useBuilder((now) => now.boot);
  const starts = useMemo(
    () => startsOf(shown, given.triggers, given.urls.workflow),
    [shown.nodes, shown.edges, shown.layout.nodes, shown.settings.request, given],
  );
  const looks = {
    doc: shown,
    all: doc,
    catalogue,
    problems,
    selected,
    dragged,
    marks,
    statuses,
    here,
    talk,
    heat,
    heatBy,
    starts,
  };
  const nodes = useMemo(
    () => drawer.current.nodes(looks),
    [doc, catalogue, problems, selected, dragged, marks, statuses, here, talk, heat, heatBy, starts],
  );
  const edges = useMemo(() => drawer.current.edges(looks), [doc, selected, marks]);
  const lead = useMemo(() => startEdges(shown, starts), [shown.nodes, shown.edges, starts]);
  useEffect(() => showLines(linesOf(edges)), [edges]);
  useEffect(() => () => keepInstance(null), []);
  const many = nodes.length > MANY;
  const pane = useRef<HTMLDivElement>(null);
  const [start, setStart] = useState<FirstView | null>(null);
  // Before anything is painted: how much room there is decides what is seen first.
  useLayoutEffect(() => {
    if (pane.current) setStart(firstView(seen(), pane.current.getBoundingClientRect()));
  }, []);

  const onNodesChange = useCallback((changes: NodeChange<AnyNode>[]) => {
    pickNodes(changes);
    const moved: Record<string, Place> = {};
    let isDragging = false;
    for (const change of changes) {
      if (change.type !== "position" || !change.position) continue;
      isDragging ||= change.dragging === true;
      Object.assign(
        moved,
        change.id.startsWith("group:")
          ? membersMoved(change.id, change.position, flow.current)
          : { [change.id]: change.position },
      );
    }
    if (Object.keys(moved).length === 0) return;
    if (isDragging) setDragged((before) => ({ ...before, ...moved }));
    else if (!dragging.current) {
      // By the arrow keys: React Flow moves what is selected, and each press is part of one move.
      actAsSeen(moveLabel(Object.keys(moved)), moveSteps(seen(), moved), {
        merge: `nudge:${Object.keys(moved).join()}`,
      });
    }
  }, []);
  const dragging = useRef(false);
  const onDragStart = useCallback(() => {
    dragging.current = true;
  }, []);
  const onDragStop = useCallback(() => {
    setDragged((places) => {
      if (!movedElsewhere(places)) actAsSeen(moveLabel(Object.keys(places)), moveSteps(seen(), places));
      return {};
    });
    dragging.current = false;
  }, []);

  const onDrop = (event: React.DragEvent) => {
    const type = event.dataTransfer.getData(DRAGGED_TYPE);
    setOver(null);
    if (!type || !flow.current) return;
    event.preventDefault();
    const point = flow.current.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    const at = { x: point.x - WIDTH / 2, y: point.y - HEIGHT / 2 };
    const edge = edgeAt(event.clientX, event.clientY) ?? undefined;
    const inside = edge === undefined ? (containerAt(seen(), point) ?? undefined) : undefined;
    const group = state().boot.snippets.find(({ name }) => type === `${GROUP}${name}`);
    if (group) return addGroupHere(group, { at, edge, inside });
    if (!hasRoomFor(1)) return;
    const made = actOn(`Add ${catalogue[type]?.title ?? type}`, true, (now) =>
      addStep(now, catalogue, type, { at, edge, inside }, spokenOf(state().comments)),
    );
    if (!made) return;
    select({ nodes: made.select });
    wantFocus("title");
  };

  return (
    <div ref={pane} className={`canvas ${over ? "is-over-edge" : ""}`} data-over={over ?? ""}>
      {start && (
        <ReactFlow<AnyNode, AnyEdge>
          nodes={nodes}
          edges={[...lead, ...edges.map((edge) => (edge.id === over ? { ...edge, className: "is-over" } : edge))]}
          nodeTypes={NODE_TYPES}
          edgeTypes={EDGE_TYPES}
          onInit={(instance) => {
            flow.current = instance;
            keepInstance(instance);
            const one = theOne();
            if (one) show(one);
          }}
          onMove={(_, { zoom }) => noteZoom(pane.current, zoom)}
          onNodesChange={onNodesChange}
          onEdgesChange={pickEdges}
          onNodeDragStart={onDragStart}
          onNodeDragStop={onDragStop}
          onSelectionDragStart={onDragStart}
          onSelectionDragStop={onDragStop}
          onConnect={(connection) => joined(connection)}
          onConnectEnd={(event, end) => ended(event, end, flow.current)}
          onReconnect={(edge, connection) =>
            act(
              "Move a connection",
              reconnect(state().doc, edge.id, { from: connection.source, to: connection.target }),
            )
          }
          isValidConnection={({ source, target }) => whyNotJoined(source, target) === null}
          onDragOver={(event) => {
            if (!event.dataTransfer.types.includes(DRAGGED_TYPE)) return;
            event.preventDefault();
            setOver(edgeAt(event.clientX, event.clientY));
          }}
          onDragLeave={() => setOver(null)}
          onDrop={onDrop}
          onNodeDoubleClick={(_, node) => node.type === "step" && wantFocus("inspector")}
          ariaLabelConfig={DRAG_NAMES}
          nodesDraggable={mayWrite}
          nodesConnectable={mayWrite}
          edgesReconnectable={mayWrite}
          deleteKeyCode={null}
          selectionKeyCode="Shift"
          multiSelectionKeyCode={["Shift", "Meta", "Control"]}
          snapToGrid
          snapGrid={[10, 10]}
          minZoom={LEAST}
          maxZoom={2}
          {...start}
          onlyRenderVisibleElements={many}
          elevateNodesOnSelect={false}
          connectionRadius={28}
          colorMode="system"
          proOptions={{ hideAttribution: true }}
        >
          <Background variant={BackgroundVariant.Dots} gap={20} size={1.2} />
          <Controls showInteractive={false} showFitView={false}>
            <ControlButton aria-label="Fit View" title="Fit View (0)" onClick={fit}>
              <Icon name="maximize" />
            </ControlButton>
          </Controls>
          {isPublished && <HeatSwitch />}
          {Object.keys(shown.nodes).length > FEW && (
            <MiniMap
              pannable
              zoomable
              ariaLabel="Map of the workflow"
              nodeStrokeWidth={0}
              nodeComponent={MapStep}
              nodeClassName={(node) => (isFrame(node as AnyNode) ? "is-frame" : "")}
            />
          )}
        </ReactFlow>
      )}
      {mayWrite && Object.keys(doc.nodes).length === 0 && (
        // The outline says it aloud, with a button.
        <p className="canvas-empty" aria-hidden="true">
          <strong>No step yet</strong>
          <span>
            Press <kbd>A</kbd>, or drag a step here.
          </span>
        </p>
      )}
    </div>
  );
}

/** Titles are drawn larger where the zoom is small: styles do that. */
function noteZoom(pane: HTMLElement | null, zoom: number): void {
  const far = String(FAR.filter((each) => zoom < each * Math.min(NEAR, 1)).length);
  if (pane && pane.dataset.far !== far) pane.dataset.far = far;
}

/** The lines away from each step, for the map. */
function linesOf(edges: FlowEdge[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const { source, data } of edges)
    if (data?.route) found.set(source, `${found.get(source) ?? ""}${pathOf(data.route.points)}`);
  return found;
}

function isFrame(node: AnyNode): boolean {
  return node.type === "step" && node.data.holds !== null && !node.data.isCollapsed;
}

function moveLabel(ids: string[]): string {
  return ids.length === 1 ? `Move ${titleOf(state().doc, ids[0])}` : `Move ${ids.length} steps`;
}

/** Steps that were let go over another container, or over none, go there. Whether any did. */
function movedElsewhere(places: Record<string, Place>): boolean {
  const doc = seen();
  const ids = Object.keys(places).filter((id) => Object.hasOwn(doc.nodes, id));
  const wanted = new Set(ids);
  const [first] = ids.filter((id) => !around(doc, id).some((each) => wanted.has(each)));
  if (first === undefined) return false;
  const spots = Object.fromEntries(
    ids.map((id) => {
      const home = homeOf(doc, id);
      const corner = home === null ? { x: 0, y: 0 } : spotOf(doc, home);
      return [id, { x: corner.x + places[id].x, y: corner.y + places[id].y }];
    }),
  );
  const { w } = sizeOf(doc, first);
  const middle = { x: spots[first].x + w / 2, y: spots[first].y + HEIGHT / 2 };
  const home = containerAt(doc, middle, new Set(withContents(doc, ids)));
  if (home === homeOf(doc, first)) return false;
  const what = ids.length === 1 ? titleOf(doc, first) : `${ids.length} steps`;
  const label = home === null ? `Move ${what} out` : `Move ${what} into ${titleOf(doc, home)}`;
  return actAsSeen(label, moveInto(doc, ids, home, spots, state().catalogue));
}

type FirstView = { fitView: true; fitViewOptions: typeof FIT } | { defaultViewport: Viewport };

/** Fitted; a workflow that would be too small to read then begins at its left end. */
function firstView(doc: Doc, pane: DOMRect): FirstView {
  const boxes = Object.keys(drawn(doc).nodes).map((id) => boxOf(doc, id));
  const start = beginning(boxes, pane, FIT.padding, Math.min(2, READABLE * NEAR));
  return start ? { defaultViewport: start } : { fitView: true, fitViewOptions: FIT };
}

/** The members of a group follow its frame. */
function membersMoved(id: string, to: Place, flow: ReactFlowInstance<AnyNode, AnyEdge> | null): Record<string, Place> {
  const { doc } = state();
  const members = doc.layout.groups?.[id.slice("group:".length)]?.nodes ?? [];
  const from = flow?.getNode(id)?.position;
  if (!from) return {};
  const shift = { x: to.x - from.x, y: to.y - from.y };
  return Object.fromEntries(
    members.flatMap((each) => {
      const at = flow?.getNode(each)?.position;
      return at ? [[each, { x: at.x + shift.x, y: at.y + shift.y }]] : [];
    }),
  );
}

function pickNodes(changes: NodeChange<AnyNode>[]): void {
  const picks = changes.filter((change) => change.type === "select");
  if (picks.length === 0) return;
  const { selected, doc } = state();
  const now = new Set([...selected.nodes, ...selected.notes]);
  for (const { id, selected: isOn } of picks) isOn ? now.add(id) : now.delete(id);
  set({
    selected: {
      ...selected,
      nodes: [...now].filter((id) => Object.hasOwn(doc.nodes, id)),
      notes: [...now].filter((id) => id in (doc.layout.notes ?? {})),
    },
  });
}

function pickEdges(changes: EdgeChange<AnyEdge>[]): void {
  const picks = changes.filter((change) => change.type === "select");
  if (picks.length === 0) return;
  const { selected } = state();
  const now = new Set(selected.edges);
  for (const { id, selected: isOn } of picks) isOn ? now.add(id) : now.delete(id);
  set({ selected: { ...selected, edges: [...now] } });
}

/** Why no new way can lead from one step to the other. */
function whyNotJoined(from: string, to: string): string | null {
  const { doc, catalogue } = state();
  return whyNot(doc, from, to, usualCondition(doc, catalogue, from));
}

function joined({ source, target }: Connection): void {
  const { doc, catalogue } = state();
  act(
    `Connect ${titleOf(doc, source)} to ${titleOf(doc, target)}`,
    connect(doc, source, target, usualCondition(doc, catalogue, source)).changes,
  );
}

/** A connection that was let go of: over nothing it asks for a new step there, over a step that can't be it says why. */
function ended(
  event: MouseEvent | TouchEvent,
  end: FinalConnectionState,
  flow: ReactFlowInstance<AnyNode, AnyEdge> | null,
): void {
  if (end.isValid || !end.fromNode) return;
  const isBackwards = end.fromHandle?.type === "target";
  if (end.toNode) {
    const [from, to] = isBackwards ? [end.toNode.id, end.fromNode.id] : [end.fromNode.id, end.toNode.id];
    const why = whyNotJoined(from, to);
    if (why) say(why, "bad");
    return;
  }
  if (isBackwards || !flow) return;
  const point = "changedTouches" in event ? event.changedTouches[0] : event;
  const start = end.from;
  const at = flow.screenToFlowPosition({ x: point.clientX, y: point.clientY });
  // A click on a handle is no drag: nothing is asked then.
  if (start && Math.hypot(at.x - start.x, at.y - start.y) < 30) return;
  set({ adding: { where: { after: end.fromNode.id, at: { x: at.x, y: at.y - HEIGHT / 2 } }, from: null } });
}

/** The edge below a point of the window. */
function edgeAt(x: number, y: number): string | null {
  for (const element of document.elementsFromPoint(x, y)) {
    const found = element.closest(".react-flow__edge");
    if (found) return found.getAttribute("data-id");
  }
  return null;
}
