/** The controls that hold fields, and are shown by fields: `Valued` gets them here, and does not import them. */

import { BodyControl } from "./Body";
import { GroupControl } from "./Group";
import { RowsControl } from "./Rows";
import { SchemaControl } from "./SchemaControl";
import { CONTROLS } from "./Valued";

Object.assign(CONTROLS, { body: BodyControl, group: GroupControl, rows: RowsControl, schema: SchemaControl });
