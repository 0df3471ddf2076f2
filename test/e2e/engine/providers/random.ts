import { createHash, randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { main } from "@pulumi/pulumi/provider";
import { type Properties, plain } from "./secrets";

/** Stands in for the official `random` provider: a value is made once and kept in the state, like the real ones. */
const OUTPUTS: Readonly<Record<string, (inputs: Properties) => Properties>> = {
  "random:index/randomId:RandomId": ({ byteLength }) => {
    const bytes = randomBytes(Number(byteLength));
    return { hex: bytes.toString("hex"), b64Url: bytes.toString("base64url"), b64Std: bytes.toString("base64") };
  },
  "random:index/randomPassword:RandomPassword": ({ length, special }) => {
    const text = randomBytes(4 * Number(length)).toString("base64url");
    const result = (special === false ? text.replace(/[-_]/g, "") : text).slice(0, Number(length));
    return { result, bcryptHash: `$2a$10$${createHash("sha256").update(result).digest("hex").slice(0, 53)}` };
  },
};

void main(
  {
    version: "4.21.2",
    diff: async (_id, _urn, olds: Properties, news: Properties) => {
      const replaces = Object.keys(news).filter((key) => !isDeepStrictEqual(plain(olds[key]), plain(news[key])));
      return { changes: replaces.length > 0, replaces };
    },
    create: async (urn, inputs: Properties) => {
      const type = urn.split("::")[2]?.split("$").at(-1) ?? "";
      const make = OUTPUTS[type];
      if (make === undefined) {
        throw new Error(`test/e2e/engine/providers/random.ts does not know ${type}`);
      }
      return { id: "none", outs: { ...inputs, ...make(plain(inputs) as Properties) } };
    },
    read: async (id, _urn, props: Properties) => ({ id, props }),
  },
  process.argv.slice(2),
);
