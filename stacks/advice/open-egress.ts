import type { CapacityProblem } from "../../planner/types";
import { egressOpenings, type Opened } from "./egress-openings";

/** Pods that may send to any public address, because only a name of the target is known. */
export function openEgress(opened: Opened): CapacityProblem[] {
  const openings = egressOpenings(opened);
  const narrow = openings.flatMap(({ who, narrowedBy }) => (narrowedBy ? [`${who} (${narrowedBy})`] : []));
  const fixed = openings.flatMap(({ who, narrowedBy }) => (narrowedBy ? [] : [who]));
  const sentences = [
    "NetworkPolicies hold addresses, not names",
    ...(narrow.length > 0
      ? [
          `These reach the port of what they call at every address that is not private, until the key in brackets is set: ${narrow.join("; ")}`,
        ]
      : []),
    ...(fixed.length > 0 ? [`No key narrows these: ${fixed.join("; ")}`] : []),
  ];
  return openings.length === 0
    ? []
    : [
        {
          severity: "advisory",
          rule: "open-egress",
          subject: "networks",
          message: `${sentences.join(". ")} (docs/network.md).`,
        },
      ];
}
