import { z } from "zod";

/**
 * `unknown`: cannot be determined from here. `not asked`: depends on something else, such as a
 * cluster that does not exist yet.
 */
export const STATUSES = ["passed", "warning", "failed", "unknown", "not asked"] as const;

export type CheckStatus = (typeof STATUSES)[number];

/** Result of one check. Texts may hold untrusted names: use `cleaned` before display. */
export interface CheckResult {
  /** Constant over runs: `storage-class`, `pool`. */
  readonly check: string;
  /** Display text: `Storage class`, `Pool a10`. */
  readonly title: string;
  readonly status: CheckStatus;
  readonly found: string;
  readonly needed: string;
  /** Fixes, most likely first; empty where it passed. */
  readonly remedies: readonly string[];
}

/** Shape of `doctor --json` (docs/doctor.md). Keys are added, not changed. */
export const doctorSchema = z.object({
  environment: z.string(),
  /** Nothing failed: exit status 0. */
  ok: z.boolean(),
  /** Null where none was asked. */
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
