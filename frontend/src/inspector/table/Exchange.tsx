import { useState } from "react";
import { Icon } from "../../Icon";
import { Refused, ask } from "../../api";
import { AskDialog, CodeField } from "../../frame/AskDialog";
import type { Json, JsonObject } from "../../model/json";
import type { Table } from "../../model/tables";
import { saved, textOf } from "../../model/textFiles";
import { state } from "../../store";

/** A route of decision tables. */
export function routeOf(action: string): string {
  return `${state().boot.urls.api.replace(/\/workflows\/[^/]+$/, "")}/decision-tables/${action}`;
}

interface Imported {
  columns: JsonObject[];
  rows: Json[][];
  hit: string | null;
}

interface Props {
  table: Table;
  params: JsonObject;
  onImport: (next: Partial<Table>) => void;
}

function reason(error: unknown): string {
  return error instanceof Refused || error instanceof Error ? error.message : String(error);
}

/** Import from and export to CSV and DMN. */
export function Exchange({ params, onImport }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const [fault, setFault] = useState("");
  const save = async (format: string) => {
    setFault("");
    try {
      const body = { format, params, name: state().boot.name };
      const { text } = await ask<{ text: string }>(routeOf("export"), { method: "POST", body });
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([saved(text, format)], { type: "text/plain" }));
      link.download = `table.${format}`;
      link.click();
      URL.revokeObjectURL(link.href);
    } catch (error) {
      setFault(reason(error));
    }
  };
  return (
    <>
      <button type="button" className="button ghost small" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        <Icon name="upload" />
        Import…
      </button>
      <button type="button" className="button ghost small" onClick={() => save("csv")}>
        <Icon name="download" />
        CSV
      </button>
      <button type="button" className="button ghost small" onClick={() => save("dmn")}>
        <Icon name="download" />
        DMN
      </button>
      {fault && (
        <p className="bad-words small" role="alert">
          {fault}
        </p>
      )}
      {isOpen && <ImportDialog onClose={() => setIsOpen(false)} onImport={onImport} />}
    </>
  );
}

function ImportDialog({ onClose, onImport }: { onClose: () => void; onImport: Props["onImport"] }) {
  const [text, setText] = useState("");
  const [fault, setFault] = useState("");
  const read = async (close: () => void) => {
    setFault("");
    try {
      const format = text.trimStart().startsWith("<") ? "dmn" : "csv";
      const { columns, rows, hit } = await ask<Imported>(routeOf("import"), { method: "POST", body: { format, text } });
      onImport({ columns, rows, ...(hit ? { hit } : {}) });
      close();
    } catch (error) {
      setFault(reason(error));
    }
  };
  return (
    <AskDialog
      title="Import a decision table"
      error={fault}
      onClose={onClose}
      foot={(close) => (
        <button type="button" className="button" disabled={!text.trim()} onClick={() => read(close)}>
          Replace the table
        </button>
      )}
    >
      <p className="quiet small">
        CSV with a header, cells copied from a spreadsheet, or DMN. Columns named “set …” are results; without one the
        last column is.
      </p>
      <label className="field">
        <span className="label">File</span>
        <input
          type="file"
          accept=".csv,.tsv,.txt,.dmn,.xml"
          onChange={async (event) => {
            const content = await event.target.files?.[0]?.arrayBuffer();
            setText(content ? textOf(content) : "");
          }}
        />
      </label>
      <CodeField label="Text" rows={10} value={text} onChange={setText} />
    </AskDialog>
  );
}
