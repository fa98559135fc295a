import { Fragment } from "react";
import { saidOf } from "./model/said";
import { type Problem, useBuilder } from "./store";

/** What is wrong, in the words that the forms have for steps and fields. */
export function Words({ problem }: { problem: Problem }) {
  const doc = useBuilder((now) => now.doc);
  const catalogue = useBuilder((now) => now.catalogue);
  const definition = useBuilder((now) => now.boot.definition_schema);
  const parts = saidOf(problem, doc, { definition, paramsOf: (type) => catalogue[type]?.params_schema });
  return parts.map((part, at) =>
    part.isCode ? <code key={at}>{part.text}</code> : <Fragment key={at}>{part.text}</Fragment>,
  );
}
