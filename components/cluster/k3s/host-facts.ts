import { z } from "zod";

/** What the checks found out of a machine, as they print it: one line of JSON. */
const hostFacts = z.object({
  /** As `uname -m` names it. */
  machine: z.string(),
  /** Numeric groups of the GPUs' device files; Radeon: `render`. Empty where everybody may open them. */
  deviceGroups: z.array(z.int().min(1)).readonly(),
});

export type HostFacts = z.output<typeof hostFacts>;

/** @throws Error for what is no such line: the scripts of this folder print one. */
export function parseHostFacts(line: string): HostFacts {
  return hostFacts.parse(JSON.parse(line));
}
