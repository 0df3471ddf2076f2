import { isDeepStrictEqual } from "node:util";
import { main } from "@pulumi/pulumi/provider";
import { type Properties, plain } from "./secrets";

/** What a resource generates from its inputs, by the type's token. */
export type Generators = Readonly<Record<string, (inputs: Properties) => Properties>>;

/** Serves a provider of values that are generated once and kept in the state; another input replaces them. */
export function serveGenerated(version: string, generators: Generators): void {
  void main(
    {
      version,
      diff: async (_id, _urn, olds: Properties, news: Properties) => {
        const replaces = Object.keys(news).filter((key) => !isDeepStrictEqual(plain(olds[key]), plain(news[key])));
        return { changes: replaces.length > 0, replaces };
      },
      create: async (urn, inputs: Properties) => {
        const type = urn.split("::")[2]?.split("$").at(-1) ?? "";
        const generate = generators[type];
        if (generate === undefined) {
          throw new Error(`the test's provider does not know ${type}: ${Object.keys(generators).join(", ")}`);
        }
        return { id: "none", outs: { ...inputs, ...generate(plain(inputs) as Properties) } };
      },
      read: async (id, _urn, props: Properties) => ({ id, props }),
    },
    process.argv.slice(2),
  );
}
