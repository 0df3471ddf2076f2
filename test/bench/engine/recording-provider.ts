import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { main } from "@pulumi/pulumi/provider";

/**
 * A provider for every resource of whichever package: it answers at once with the inputs, so that what a deployment
 * costs is the engine's own work and the program's.
 */
type Properties = Readonly<Record<string, unknown>>;

void main(
  {
    version: "0.0.0",
    diff: async (_id, _urn, olds: Properties, news: Properties) => ({
      changes: Object.keys(news).some((key) => !isDeepStrictEqual(olds[key], news[key])),
    }),
    create: async (_urn, inputs: Properties) => {
      const id = randomBytes(8).toString("hex");
      // What the program reads of its generated passwords.
      return { id, outs: { ...inputs, result: id, bcryptHash: id } };
    },
    update: async (_id, _urn, _olds, news: Properties) => ({ outs: news }),
    read: async (id, _urn, props: Properties) => ({ id, props }),
  },
  process.argv.slice(2),
);
