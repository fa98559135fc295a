import { type HTMLAttributes, type ReactNode, useId } from "react";
import { Icon } from "../../Icon";
import { Words } from "../../Words";
import type { Problem } from "../../store";

export interface Ids {
  id: string;
  labelId: string;
  describedBy: string | undefined;
  isInvalid: boolean;
}

export interface FrameProps {
  title: ReactNode;
  /** As problems name it. */
  field?: string;
  help?: string;
  isRequired?: boolean;
  /** It must be filled in, and is not. */
  isEmpty?: boolean;
  /** Of several controls: the title names the group and no single one. */
  isGroup?: boolean;
  problems?: Problem[];
  tools?: ReactNode;
  /** The title is read aloud but not shown: it stands above already. */
  isBare?: boolean;
  /** The control stands before its title, as a switch does. */
  isInline?: boolean;
  /** What takes a value of a test run that is put there. */
  takes?: HTMLAttributes<HTMLDivElement>;
  children: (ids: Ids) => ReactNode;
}

/** What is around each control: its title, its help, and what is wrong with it. */
export function Frame({
  title,
  field,
  help,
  isRequired,
  isEmpty,
  isGroup,
  problems = [],
  tools,
  isBare,
  isInline,
  takes,
  children,
}: FrameProps) {
  const id = useId();
  const labelId = `${id}-label`;
  const described = [help ? `${id}-help` : "", problems.length ? `${id}-faults` : ""].filter(Boolean).join(" ");
  const ids: Ids = {
    id,
    labelId,
    describedBy: described || undefined,
    isInvalid: problems.some((problem) => problem.severity === "error"),
  };
  const name = (
    <>
      {title}
      {isRequired && (
        <span className="required">
          <span aria-hidden="true">*</span>
          <span className="sr-only"> (required)</span>
        </span>
      )}
    </>
  );
  return (
    <div
      {...takes}
      className={`insp-field ${ids.isInvalid ? "wrong" : ""}`}
      data-empty={isEmpty || undefined}
      data-field={field}
      {...(isGroup ? { role: "group", "aria-labelledby": labelId, "aria-describedby": ids.describedBy } : {})}
    >
      <div className={`insp-label ${isBare ? "bare" : ""}`}>
        {isInline && children(ids)}
        {isGroup ? (
          <span id={labelId} className={isBare ? "sr-only" : "label"}>
            {name}
          </span>
        ) : (
          <label id={labelId} htmlFor={id} className={isBare ? "sr-only" : "label"}>
            {name}
          </label>
        )}
        {tools}
      </div>
      {!isInline && children(ids)}
      {help && (
        <p className="help" id={`${id}-help`}>
          {help}
        </p>
      )}
      <Faults id={`${id}-faults`} problems={problems} />
    </div>
  );
}

export function Faults({ id, problems }: { id: string; problems: Problem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul className="faults" id={id}>
      {problems.map((problem, at) => (
        <li key={`${problem.code} ${at}`} data-severity={problem.severity}>
          <Icon name={problem.severity === "error" ? "circle-alert" : "triangle-alert"} />
          <span>
            <Words problem={problem} />
          </span>
        </li>
      ))}
    </ul>
  );
}

export function Tool({
  icon,
  label,
  onClick,
  disabled,
}: {
  icon: string;
  label: string;
  onClick: () => void;
  disabled?: boolean;
}) {
  return (
    <button
      type="button"
      className="button ghost small icon-only"
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
