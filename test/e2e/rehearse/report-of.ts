import { expect } from "vitest";
import { main } from "../../../cli/rehearse";
import { type RehearsalReport, rehearsalSchema } from "../../../rehearsal/report/schema";
import { runPiped } from "../../cli/run";

/** The report of `npm run rehearse -- … --json`, and the exit status. */
export async function reportOf(
  ...argv: string[]
): Promise<{ readonly status: number; readonly report: RehearsalReport }> {
  const { status, out, err } = await runPiped(main, [...argv, "--json"]);
  expect(err).toBe("");
  return { status, report: rehearsalSchema.parse(JSON.parse(out)) };
}
