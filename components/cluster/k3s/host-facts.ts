import { z } from "zod";

/** Facts that the checks print as one JSON line. */
const hostFacts = z.object({
  /** As `uname -m` names it. */
  machine: z.string(),
  /** Numeric groups of GPU device files; Radeon: `render`. Empty if all users may open them. */
  deviceGroups: z.array(z.int().min(1)).readonly(),
});

export type HostFacts = z.output<typeof hostFacts>;

/** @throws Error for an invalid line. */
export function parseHostFacts(line: string): HostFacts {
  return hostFacts.parse(JSON.parse(line));
}
