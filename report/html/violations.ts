import type { RecordedResource } from "../../offline/run";
import type { PlanResult, ReportedViolation } from "../result";
import { breakable, dataTable, type Section, twoLines } from "./elements";
import { plural } from "./format";
import { groupBy } from "./group-by";
import { html, type Markup, type Part } from "./markup";

const SEVERITIES = { mandatory: "must be fixed", advisory: "advice" } as const;

/** What forbids the deployment, then what deserves a look. Undefined when there is neither. */
export function violationsSection({ violations, resources }: PlanResult): Section | undefined {
  if (violations.length === 0) {
    return undefined;
  }
  const byUrn = new Map(resources.map((r) => [r.urn, r]));
  const mandatory = violations.filter((v) => v.severity === "mandatory");
  const advisory = violations.filter((v) => v.severity === "advisory");
  return {
    id: "violations",
    title: mandatory.length > 0 ? "What forbids this deployment" : "Advice",
    lead:
      mandatory.length > 0
        ? `${plural(mandatory.length, "finding")} to fix, ${advisory.length} to consider.`
        : undefined,
    body: dataTable(
      "Findings, the ones that must be fixed first",
      [{ title: "Severity and rule" }, { title: "Concerns" }, { title: "What and how to fix it", kind: "long" }],
      [...groupBy([...mandatory, ...advisory], subjectOf).values()].map((group) => row(group, byUrn)),
    ),
  };
}

/** Findings of one rule about one resource share a row. */
function subjectOf({ severity, policy, resource }: ReportedViolation): string {
  return JSON.stringify([severity, policy, resource]);
}

function row(group: readonly ReportedViolation[], byUrn: ReadonlyMap<string, RecordedResource>): readonly Part[] {
  const [first] = group;
  if (!first) {
    return [];
  }
  const found = byUrn.get(first.resource);
  return [
    html`<span class="severity ${first.severity}">${SEVERITIES[first.severity]}</span><br>${first.policy}`,
    found ? twoLines(found.name, breakable(found.type)) : breakable(first.resource),
    group.map(({ message }) => paragraphs(message)),
  ];
}

/** A message's lines; those of a list as a list. */
function paragraphs(message: string): Markup {
  const isItem = (line: string) => line.startsWith("- ");
  const lines = message.split("\n");
  const items = lines.filter(isItem).map((line) => html`<li>${breakable(line.slice(2))}</li>`);
  return html`${lines.filter((line) => !isItem(line)).map((line) => html`<p>${breakable(line)}</p>`)}${items.length > 0 ? html`<ul class="fixes">${items}</ul>` : undefined}`;
}
