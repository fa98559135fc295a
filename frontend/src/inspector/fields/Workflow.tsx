import { ask } from "../../api";
import { state } from "../../store";
import { type Offer, OfferedControl } from "./Offered";
import type { ControlProps } from "./simple";

interface Listed {
  name: string;
  title: string | null;
}

async function find(typed: string, signal: AbortSignal): Promise<Offer[]> {
  const { urls } = state().boot;
  const url = `${urls.workflows}?limit=50${typed ? `&q=${encodeURIComponent(typed)}` : ""}`;
  const { results } = await ask<{ results: Listed[] }>(url, { automatic: true, signal });
  const page = (name: string) => `${urls.workflow.replace(/[^/]+\/?$/, "")}${name}`;
  return results.map(({ name, title }) => ({
    name,
    words: title ?? name,
    about: (
      <>
        {title && title !== name ? `${title}. ` : ""}
        <a href={page(name)} target="_blank" rel="noreferrer">
          Open it
        </a>
      </>
    ),
  }));
}

/** The name of a workflow, chosen among those that one may read. */
export function WorkflowControl(props: ControlProps) {
  return <OfferedControl {...props} empty="Name of a workflow" find={find} isSearched />;
}
