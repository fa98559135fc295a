import { useState } from "react";
import type { Json } from "../../model/json";
import { isObject } from "../../model/json";
import { FormFields } from "../form/FormFields";
import { CodeControl } from "./Code";
import type { ControlProps } from "./simple";

function canShow(value: Json | undefined): boolean {
  if (value === undefined) return true;
  return (
    isObject(value) &&
    (value.type === undefined || value.type === "object") &&
    (value.properties === undefined || isObject(value.properties)) &&
    (value.required === undefined || Array.isArray(value.required))
  );
}

/** What somebody fills in, field by field. What this form can't show stays as it is, and can be edited as JSON. */
export function SchemaControl(props: ControlProps) {
  const { spot, shape } = props;
  const can = canShow(spot.value);
  const [asText, setAsText] = useState(!can);
  const isText = asText || !can;
  return (
    <div className="insp-schema">
      <div className="switch" role="group" aria-label={`How ${shape.title} is shown`}>
        <button type="button" aria-pressed={!isText} disabled={!can} onClick={() => setAsText(false)}>
          Fields
        </button>
        <button type="button" aria-pressed={isText} onClick={() => setAsText(true)}>
          JSON Schema
        </button>
      </div>
      {isText ? <CodeControl {...props} /> : <FormFields spot={spot} />}
    </div>
  );
}
