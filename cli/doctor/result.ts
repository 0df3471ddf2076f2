import { z } from "zod";

/**
 * `unknown`: nobody can tell from here, so look yourself. `not asked`: it waits for something else, such as a cluster that does not
 * exist yet.
 */
export const STATUSES = ["passed", "warning", "failed", "unknown", "not asked"] as const;

export type CheckStatus = (typeof STATUSES)[number];

/** What one check found. Texts may hold names that strangers chose: `cleaned` before they are shown. */
export interface CheckResult {
  /** What is checked, the same in every run: `storage-class`, `pool`. */
  readonly check: string;
  /** For people: `Storage class`, `Pool a10`. */
  readonly title: string;
  readonly status: CheckStatus;
  readonly found: string;
  readonly needed: string;
  /** What mends it, most likely first; none where it passed. */
  readonly remedies: readonly string[];
}

/** The shape of `doctor --json`. Keys are added, not changed. docs/doctor.md explains it. */
export const doctorSchema = z.object({
  environment: z.string(),
  /** Nothing failed: exit status 0. */
  ok: z.boolean(),
  /** The cluster that was asked; null where none was. */
  cluster: z.object({ context: z.string(), server: z.string() }).nullable(),
  checks: z.array(
    z.object({
      check: z.string(),
      title: z.string(),
      status: z.enum(STATUSES),
      found: z.string(),
      needed: z.string(),
      remedies: z.array(z.string()),
    }),
  ),
  seconds: z.number().min(0),
});

export type DoctorReport = Readonly<z.infer<typeof doctorSchema>>;

export function hasFailed(checks: readonly Pick<CheckResult, "status">[]): boolean {
  return checks.some(({ status }) => status === "failed");
}
