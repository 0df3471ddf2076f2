/** Report of an import, as text and JSON. */
import { counted } from "../../names/counted";
import { visible, visibleJson, visibleLines } from "../../names/visible";
import type { Imported } from "./import-files";
import type { Entry, EntryKind } from "./ledger";
import { withoutSecrets } from "./secrets";

const HEADINGS: Readonly<Record<EntryKind, string>> = {
  wrong: "Wrong in the original",
  notMapped: "Not mapped",
  changed: "Changed",
  mapped: "Mapped",
};

/** Decisions first; unchanged values are counted. */
export function reportText({ entries, settled }: Imported): string {
  const sections = (["wrong", "notMapped", "changed"] as const).flatMap((kind) => {
    const rows = entries.filter((entry) => entry.kind === kind);
    return rows.length === 0 ? [] : [`${HEADINGS[kind]}\n${rows.map((entry) => `  ${lineText(entry)}\n`).join("")}`];
  });
  const same = entries.filter(({ kind }) => kind === "mapped").length;
  const decision = settled === undefined ? "" : `\n${decisionText(settled)}`;
  const mapped = settled === undefined ? "" : `\nMapped: ${counted(same, "value")}\n`;
  return `${sections.join("\n")}${mapped}${decision}`;
}

function lineText({ file, line, path, to, why }: Entry): string {
  const place = line === undefined ? file : `${file}:${line}`;
  const key = to === undefined ? "" : ` → ${to}`;
  return visible(`${place} ${path}${key}: ${why ?? ""}`);
}

/** May quote the file. */
function shown(message: string): string {
  return visibleLines(withoutSecrets(message));
}

const UNDESCRIBED =
  "Models outside the catalogue are planned once their config.json is there: npm run pin keeps those of repositories.\n";

function decisionText({ decision }: NonNullable<Imported["settled"]>): string {
  switch (decision.kind) {
    case "unknown":
      return UNDESCRIBED;
    case "mistakes":
      return `The environment needs an edit: ${decision.problems.map(({ message }) => shown(message)).join("\n")}\n`;
    case "planned":
      return `${
        decision.refusals.length === 0
          ? `Fits: ${decision.plan.models.map(({ name, shape }) => `${name} on ${shape}`).join(", ") || "machines alone"}\n`
          : `Refused by the planner:\n${decision.refusals.map(({ subject, message }) => `  ${subject}: ${shown(message)}\n`).join("")}`
      }${decision.isPartial === true ? UNDESCRIBED : ""}`;
  }
}

export function reportJson(out: string, { entries, settled }: Imported): string {
  const decision = settled?.decision;
  const plan =
    decision === undefined
      ? undefined
      : decision.kind === "planned"
        ? {
            answer: decision.refusals.length === 0 ? "fits" : "refused",
            reasons: decision.refusals.map(({ rule, subject, message }) => ({
              rule,
              subject,
              message: withoutSecrets(message),
            })),
          }
        : decision.kind === "unknown"
          ? { answer: "unknown", reasons: [{ message: decision.why }] }
          : {
              answer: "mistakes",
              reasons: decision.problems.map(({ path, message }) => ({
                subject: path,
                message: withoutSecrets(message),
              })),
            };
  const models = settled?.models.map(({ key, draft }) => ({
    name: key,
    original: { ...draft.original, replicas: draft.replicas.min },
  }));
  return `${visibleJson(JSON.stringify({ schemaVersion: 1, written: settled === undefined ? null : out, models: models ?? [], ...(plan && { plan }), entries }, undefined, 2))}\n`;
}
