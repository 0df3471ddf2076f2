import type { ReportedViolation } from "../result";
import { shortResource } from "../short-resource";
import { type Style, WIDTH, wrap } from "../style";

/** What forbids the deployment, or what deserves a look: rule and subject, then the message below. */
export function findings(
  found: readonly ReportedViolation[],
  severity: ReportedViolation["severity"],
  s: Style,
): string {
  const mark = severity === "mandatory" ? s.bad("✗") : s.warn("!");
  return found
    .filter((v) => v.severity === severity)
    .map((v) => {
      const message = v.message.split("\n").flatMap((line) => wrap(line, WIDTH, "  "));
      return [`${mark} ${s.bold(v.policy)} ${shortResource(v.resource)}`, ...message].join("\n");
    })
    .map((text) => `${text}\n`)
    .join("");
}
