/** Groups of people and their rights. */
import { z } from "zod";
import { dnsLabel, text } from "./fields";

function groups(who: string) {
  return z
    .array(text().meta({ example: "ml-platform" }))
    .default([])
    .meta({ description: who, examples: [["ml-platform"]] });
}

const roleGroups = {
  viewers: groups("They see everything but Secrets, and read logs."),
  operators: groups("They also delete pods and Jobs that hang, and scale."),
  admins: groups("They also change what runs, read Secrets and enter pods. None of them is cluster-admin."),
};

export const peopleSection = z
  .strictObject({
    ...roleGroups,
    domains: z
      .record(
        dnsLabel(),
        z.strictObject(roleGroups).meta({ description: "Groups for the models of this domain alone." }),
      )
      .default({})
      .meta({
        description: "People who work with the models of one domain alone, by the domain's name.",
        example: { legal: { viewers: ["legal"] } },
      }),
  })
  .optional()
  .meta({
    description:
      "Groups of people, by the names that the cluster's authenticator gives them (OKE: OCIDs of groups), and what they may do with kubectl. Default: none.",
    example: { viewers: ["ml-users"], operators: ["ml-platform"] },
  });
