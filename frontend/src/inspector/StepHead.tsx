import { useRef, useState } from "react";
import { Icon } from "../Icon";
import { Words } from "../Words";
import { homeOf } from "../model/bodies";
import { faceOf } from "../model/catalogue";
import { titleOf } from "../model/graph";
import { free, slug } from "../model/names";
import { spokenOf } from "../model/talk";
import { moveSelected } from "../keys";
import { goTo, say, state, useBuilder } from "../store";
import { Frame } from "./fields/Frame";
import { idFor, rename } from "./rename";
import { docSpot, problemsAt } from "./spot";

/** An id that is on its way: the server is being asked for it. */
interface Coming {
  id: string;
  isThere: Promise<boolean>;
}

const GOOD_ID = /^[A-Za-z_][A-Za-z0-9_-]{0,255}$/;

/** Which step this is: its kind, its title and its id. */
export function StepHead({ id, field }: { id: string; field: string }) {
  const doc = useBuilder((now) => now.doc);
  const catalogue = useBuilder((now) => now.catalogue);
  const problems = useBuilder((now) => now.problems);
  const published = useBuilder((now) => now.boot.published);
  // "Was": the form gave the focus back to the button that opened it.
  const [isRenaming, setIsRenaming] = useState<boolean | "was">(false);
  const before = useRef<string | null>(null);
  const coming = useRef<Coming | null>(null);
  const body = doc.nodes[id];
  const home = homeOf(doc, id);
  const face = faceOf(catalogue, body.type);
  const title = docSpot(doc, ["nodes", id, "title"], `${field}.title`, "the title", titleOf(doc, id));
  const text = typeof title.value === "string" ? title.value : "";

  const left = () => {
    const old = before.current;
    before.current = null;
    if (old === null || old === text || !text) return;
    const wanted = idFor(state().doc, id, old, text, face.title, published, spokenOf(state().comments));
    // Where the id can't follow, it stays: nobody asked for it.
    if (!wanted) return;
    // An undo meanwhile takes it back before it is there, and what was undone can be done again.
    const isWanted = () => state().doc.nodes[id]?.title === text && state().redo.length === 0;
    const isThere = rename(id, wanted, isWanted).then((why) => {
      coming.current = null;
      return why === null;
    });
    coming.current = { id: wanted, isThere };
  };
  return (
    <header className="insp-head">
      <div className="insp-kind">
        <span className="step-icon" data-group={face.group}>
          <Icon name={face.icon} />
        </span>
        <div>
          <h2>{face.title}</h2>
          <small>{face.help}</small>
        </div>
      </div>
      {problemsAt(problems, `${field}.type`, true).map((problem) => (
        <p className="fault" key={problem.message}>
          <Words problem={problem} />
        </p>
      ))}
      <Frame title="Title" problems={problemsAt(problems, `${field}.title`, true)}>
        {(ids) => (
          <input
            type="text"
            data-title
            data-first
            id={ids.id}
            autoComplete="off"
            aria-describedby={ids.describedBy}
            aria-invalid={ids.isInvalid || undefined}
            value={text}
            placeholder={face.title}
            onFocus={() => {
              before.current = text;
            }}
            onChange={(event) => title.set(event.target.value || undefined, true)}
            onBlur={left}
          />
        )}
      </Frame>
      {home !== null && (
        <p className="insp-id">
          <span>In</span>{" "}
          <button type="button" className="link" onClick={() => goTo(home)}>
            {titleOf(doc, home)}
          </button>
          <button type="button" className="link" title="Move out (<)" onClick={() => moveSelected("out")}>
            Move out
          </button>
        </p>
      )}
      {isRenaming === true ? (
        <RenameForm id={id} coming={coming.current} onDone={() => setIsRenaming("was")} />
      ) : (
        <p className="insp-id">
          <span>Id</span> <code>{id}</code>
          <button type="button" className="link" autoFocus={isRenaming === "was"} onClick={() => setIsRenaming(true)}>
            Change…
          </button>
        </p>
      )}
    </header>
  );
}

function RenameForm({ id, coming, onDone }: { id: string; coming: Coming | null; onDone: () => void }) {
  const [text, setText] = useState(coming?.id ?? id);
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const isPublished = useBuilder((now) => now.boot.published.includes(id));
  const submit = async () => {
    const wanted = text.trim();
    setIsBusy(true);
    // Somebody who goes on at once from the title has the id that follows from it first.
    const from = (await coming?.isThere) ? (coming as Coming).id : id;
    setIsBusy(false);
    if (wanted === from) return onDone();
    if (!GOOD_ID.test(wanted))
      return setFault(
        `Use letters, digits, _ and -, starting with a letter${slug(wanted) ? `, for example ${free(slug(wanted), state().doc.nodes)}` : ""}.`,
      );
    if (Object.hasOwn(spokenOf(state().comments), wanted) && !Object.hasOwn(state().doc.nodes, wanted))
      return setFault("A deleted step had this id and has comments: they would become this one's.");
    setIsBusy(true);
    const why = await rename(from, wanted);
    setIsBusy(false);
    if (why) return setFault(why);
    say(`Renamed ${from} to ${wanted}, also in expressions.`);
    return onDone();
  };
  return (
    <div className="insp-rename">
      <Frame
        title="Id"
        help={
          isPublished ? "Runs of published versions keep the old id." : "Expressions that use this step are updated."
        }
        problems={fault ? [{ code: "id", severity: "error", node: null, field: "", message: fault }] : []}
      >
        {(ids) => (
          <input
            type="text"
            className="code"
            autoFocus
            id={ids.id}
            autoComplete="off"
            spellCheck={false}
            aria-describedby={ids.describedBy}
            aria-invalid={fault !== null || undefined}
            value={text}
            onFocus={(event) => event.target.select()}
            onChange={(event) => {
              setText(event.target.value);
              setFault(null);
            }}
            onKeyDown={(event) => {
              if (event.key !== "Enter" && event.key !== "Escape") return;
              event.preventDefault();
              if (event.key === "Enter") void submit();
              else onDone();
            }}
          />
        )}
      </Frame>
      <div className="insp-actions">
        <button type="button" className="button small" disabled={isBusy} onClick={() => void submit()}>
          Change the id
        </button>
        <button type="button" className="button plain small" onClick={onDone}>
          Cancel
        </button>
      </div>
    </div>
  );
}
