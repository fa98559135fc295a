/** What the parts of a decision table's form share. */

import type { Table } from "../../model/tables";

/** The cell in which one is; `moves`: the focus goes there. */
export interface Place {
  row: number;
  column: number;
  moves?: boolean;
}

export interface ToolProps {
  table: Table;
  place: Place;
  setPlace: (place: Place) => void;
  put: (next: Partial<Table>, typing?: boolean) => void;
}
