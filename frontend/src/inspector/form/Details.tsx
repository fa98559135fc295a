/** What a field has to say beside its title: the currency of money, the limits of a file. */

import { useState } from "react";
import type { Json, JsonObject } from "../../model/json";
import { isObject } from "../../model/json";
import { asNumber } from "../convert";
import { Frame } from "../fields/Frame";
import { useTyped } from "../fields/simple";
import type { Spot } from "../spot";
import { TextField } from "./TextField";

const CURRENCIES: [string, string][] = [
  ["EUR", "Euro"],
  ["USD", "US dollar"],
  ["GBP", "Pound sterling"],
  ["CHF", "Swiss franc"],
  ["JPY", "Yen"],
  ["CNY", "Renminbi"],
  ["INR", "Indian rupee"],
  ["CAD", "Canadian dollar"],
  ["AUD", "Australian dollar"],
  ["SEK", "Swedish krona"],
  ["NOK", "Norwegian krone"],
  ["DKK", "Danish krone"],
  ["PLN", "Zloty"],
  ["CZK", "Czech koruna"],
  ["BRL", "Real"],
];
const OTHER = "other";

/** The currency of an amount: the common ones, or any code that is typed. */
export function Currency({ spot }: { spot: Spot }) {
  const own = spot.at("x-currency", "the currency");
  const code = typeof own.value === "string" ? own.value : "";
  const isCommon = CURRENCIES.some(([each]) => each === code);
  const [wantsOther, setWantsOther] = useState(false);
  const isTyped = wantsOther || (code !== "" && !isCommon);
  const fault = !isTyped || /^[A-Z]{3}$/.test(code) ? "" : "Enter the three letters of a currency, such as SEK.";
  return (
    <>
      <Frame title="Currency">
        {(ids) => (
          <select
            id={ids.id}
            aria-labelledby={ids.labelId}
            value={isTyped ? OTHER : code}
            onChange={(event) => {
              setWantsOther(event.target.value === OTHER);
              if (event.target.value !== OTHER) own.set(event.target.value);
            }}
          >
            {!code && !isTyped && <option value="">Choose…</option>}
            {CURRENCIES.map(([each, name]) => (
              <option key={each} value={each}>
                {each}, {name}
              </option>
            ))}
            <option value={OTHER}>Another currency…</option>
          </select>
        )}
      </Frame>
      {isTyped && (
        <TextField
          title="Currency code"
          help="The ISO 4217 code of three letters."
          className="code short"
          maxLength={3}
          value={code}
          fault={fault}
          onChange={(text) => {
            setWantsOther(true);
            own.set(text.toUpperCase(), true);
          }}
        />
      )}
    </>
  );
}

const MIB = 1024 * 1024;

/** Which files a field takes, and how large they may be. */
export function FileLimits({ spot }: { spot: Spot }) {
  const schema = isObject(spot.value) ? spot.value : {};
  return (
    <>
      <Typed
        title="Accepted files"
        help="Extensions or media types, such as .pdf, image/*. Empty: any file."
        value={schema["x-accept"]}
        shown={(value) => (Array.isArray(value) ? value.join(", ") : "")}
        read={acceptOf}
        onChange={(value) => spot.set(having(schema, "x-accept", value), true)}
      />
      <Typed
        title="Largest file (MiB)"
        value={schema["x-max-bytes"]}
        placeholder="10"
        shown={(value) => (typeof value === "number" ? String(Number((value / MIB).toFixed(6))) : "")}
        read={bytesOf}
        onChange={(value) => spot.set(having(schema, "x-max-bytes", value), true)}
        isNumber
      />
    </>
  );
}

function acceptOf(text: string): Json | undefined {
  const kinds = text.split(/[\s,;]+/).filter(Boolean);
  return kinds.length ? kinds : undefined;
}

function bytesOf(text: string): Json | undefined {
  const count = asNumber(text);
  return count === undefined || count <= 0 ? undefined : Math.round(count * MIB);
}

function having(schema: JsonObject, key: string, value: Json | undefined): JsonObject {
  const { [key]: _was, ...rest } = schema;
  return value === undefined ? rest : { ...schema, [key]: value };
}

interface TypedProps {
  title: string;
  help?: string;
  value: Json | undefined;
  placeholder?: string;
  isNumber?: boolean;
  shown: (value: Json | undefined) => string;
  read: (text: string) => Json | undefined;
  onChange: (value: Json | undefined) => void;
}

function Typed({ title, help, value, placeholder, isNumber, shown, read, onChange }: TypedProps) {
  const [text, setText] = useTyped(value, shown, read);
  const isWrong = text.trim() !== "" && read(text) === undefined;
  return (
    <TextField
      title={title}
      help={help}
      className={isNumber ? "short" : undefined}
      placeholder={placeholder}
      isNumber={isNumber}
      value={text}
      fault={isWrong ? "Enter a number above 0." : ""}
      onChange={(typed) => {
        setText(typed);
        onChange(read(typed));
      }}
    />
  );
}
