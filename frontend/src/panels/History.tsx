import { useEffect, useState } from "react";
import { Icon } from "../Icon";
import { Refused, ask } from "../api";
import type { Mark } from "../canvas/nodes";
import { restored } from "../canvas/layout";
import { type Change, diff } from "../model/changes";
import { type Doc, definitionOf, keyed } from "../model/document";
import type { JsonObject } from "../model/json";
import { momentOf } from "../reader";
import { act, goTo, say, select, set, state, useBuilder } from "../store";
import { Differences, differences } from "./Differences";

export interface Version {
  version: number;
  note: string;
  published_by: string;
  published_by_name: string;
  published_at: string;
  open_runs?: number;
  definition?: JsonObject;
  layout?: JsonObject;
}
interface Logged {
  revision: number;
  label: string;
  by: string;
  by_name: string;
  at: string;
}

/** Versions, what is different from the draft, and who changed the draft when. */
export function History() {
  const boot = useBuilder((now) => now.boot);
  const revision = useBuilder((now) => now.revision);
  const mayWrite = boot.may_write;
  const cannot = useBuilder((now) => now.cannot);
  const [versions, setVersions] = useState<Version[] | null>(null);
  const [log, setLog] = useState<Logged[]>([]);
  const [compared, setCompared] = useState<{ version: number; doc: Doc } | null>(null);
  const [error, setError] = useState("");
  useEffect(() => {
    ask<{ results: Version[] }>(`${boot.urls.api}/versions?limit=50`).then((page) => {
      setVersions(page.results);
      // Somebody else may have published meanwhile.
      const latest = page.results[0]?.version ?? null;
      if (latest !== state().boot.latest) set({ boot: { ...state().boot, latest } });
    }, failed(setError));
  }, [boot.latest]);
  useEffect(() => {
    ask<{ results: Logged[] }>(`${boot.urls.api}/draft/changes?limit=100`).then(
      (page) => setLog(page.results),
      failed(setError),
    );
  }, [revision]);
  useEffect(() => () => set({ marks: {} }), []);
  const fetched = async (version: number): Promise<Doc | null> => {
    try {
      const found = await ask<Version>(`${boot.urls.api}/versions/${version}`);
      return keyed(found.definition ?? {}, (found.layout ?? {}) as JsonObject);
    } catch (why) {
      failed(setError)(why);
      return null;
    }
  };
  /** What can't be drawn can't be changed in parts. */
  const replaceWith = async (doc: Doc) => {
    const { revision: seen } = state();
    try {
      await ask(`${boot.urls.api}/draft`, {
        method: "PUT",
        body: { definition: definitionOf(doc), layout: doc.layout as JsonObject },
        revision: seen,
      });
      window.location.reload();
    } catch (why) {
      failed(setError)(why);
    }
  };
  const compare = async (version: number) => {
    const doc = await fetched(version);
    if (doc) setCompared({ version, doc });
  };
  const restore = async (version: number) => {
    const doc = await fetched(version);
    if (!doc) return;
    if (cannot !== null) return replaceWith(doc);
    const target = await restored(state().doc, doc);
    const { doc: now } = state();
    if (act(`Restore version ${version}`, diff(now, target))) say(`Restored version ${version}. Press Ctrl+Z to undo.`);
    else say(`The draft already matches version ${version}.`);
  };
  return (
    <div className="history">
      <section aria-labelledby="versions-title">
        <h2 id="versions-title">Versions</h2>
        {error && <p className="bad-words">{error}</p>}
        {versions?.length === 0 && <p className="quiet small">Nothing is published yet.</p>}
        <ul>
          {versions?.map((version) => (
            <li key={version.version}>
              <span>
                <strong>Version {version.version}</strong>{" "}
                {version.version === boot.latest && <span className="count">live</span>}
                <small className="quiet">
                  {momentOf(version.published_at)}
                  {version.published_by ? ` by ${version.published_by_name || version.published_by}` : ""}
                  {version.note ? `: ${version.note}` : ""}
                  {version.open_runs
                    ? `, used by ${version.open_runs} open run${version.open_runs === 1 ? "" : "s"}`
                    : ""}
                </small>
              </span>
              {cannot === null && (
                <button
                  type="button"
                  className="button plain small"
                  aria-pressed={compared?.version === version.version}
                  onClick={() =>
                    compared?.version === version.version ? setCompared(null) : void compare(version.version)
                  }
                >
                  <Icon name="git-compare" />
                  Compare
                </button>
              )}
              {mayWrite && (
                <button type="button" className="button plain small" onClick={() => void restore(version.version)}>
                  <Icon name="undo-2" />
                  Restore
                </button>
              )}
            </li>
          ))}
        </ul>
      </section>
      {compared ? <Compared version={compared.version} before={compared.doc} /> : <Log log={log} />}
    </div>
  );
}

function failed(tell: (text: string) => void): (why: unknown) => void {
  return (why) => tell(why instanceof Refused ? why.message : "The server is not responding.");
}

const MOST_ROWS = 40;

/** What is typed is sent bit by bit: it is one row, as it is one act. */
function inRows(log: Logged[]): Logged[] {
  return log
    .filter(
      (entry, at) => at === 0 || entry.label === "" || entry.label !== log[at - 1].label || entry.by !== log[at - 1].by,
    )
    .slice(0, MOST_ROWS);
}

function Log({ log }: { log: Logged[] }) {
  return (
    <section aria-labelledby="log-title">
      <h2 id="log-title">Draft changes</h2>
      {log.length === 0 && <p className="quiet small">No changes yet.</p>}
      <ol>
        {inRows(log).map((entry, at) => (
          <li key={`${entry.revision} ${at}`}>
            <span>
              {entry.label || "Changed"}{" "}
              <small className="quiet">{`${entry.by_name || entry.by}, ${momentOf(entry.at)}`}</small>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** What is different: marked on the canvas, and in a list. Where steps stand is no difference. */
function Compared({ version, before }: { version: number; before: Doc }) {
  const doc = useBuilder((now) => now.doc);
  const changes = differences(before, doc);
  const marks = marksOf(changes, doc);
  useEffect(() => set({ marks }), [doc, before]);
  return (
    <section aria-labelledby="compared-title">
      <h2 id="compared-title">
        {changes.length === 0
          ? `No differences from version ${version}`
          : `${changes.length} difference${changes.length === 1 ? "" : "s"} from version ${version}`}
      </h2>
      <Differences version={version} before={before} doc={doc} changes={changes} go={(change) => shown(change, doc)} />
    </section>
  );
}

function shown(change: Change, doc: Doc): void {
  const [root, key] = change.path;
  if (root === "nodes" && Object.hasOwn(doc.nodes, key)) goTo(key);
  else if (root === "edges" && Object.hasOwn(doc.edges, key)) select({ edges: [key] });
}

export function marksOf(changes: Change[], doc: Doc): Record<string, Mark> {
  const marks: Record<string, Mark> = {};
  for (const { path, from } of changes) {
    const [root, key] = path;
    if ((root === "nodes" || root === "edges") && Object.hasOwn(doc[root], key))
      marks[key] ??= path.length === 2 && from === undefined ? "added" : "changed";
  }
  return marks;
}
