/** What clients of a deployment before this one have: keys, headers and names. */
import { expect, it } from "vitest";
import { callerKeyProblems } from "../../../stacks/config/caller-keys";
import { ruleCases } from "./rule-cases";
import { rightEnvironment } from "./samples";

const { gateway } = rightEnvironment;
const chat = { model: "qwen2.5-7b-instruct" };
const partner = { engine: "external", external: { url: "https://api.example.com/v1", secretKey: "partnerApiKey" } };
const key = (name: string) => ({ [name]: { secure: "v1:AAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" } });

ruleCases([
  [
    "a key in the place of its secret's name",
    { gateway: { ...gateway, consumers: { web: { secretKey: "sk-0123456789abcdef" } } } },
    { path: "gateway.consumers.web.secretKey", allowed: "never the key itself", fix: "is leaked" },
  ],
  [
    "a key that is not set",
    { gateway: { ...gateway, consumers: { web: { secretKey: "webApiKey" } } } },
    { path: "gateway.consumers.web.secretKey", fix: "pulumi config set --secret inference-stacks:webApiKey" },
  ],
  [
    "one key of two callers",
    {
      ...key("webApiKey"),
      gateway: { ...gateway, consumers: { web: { secretKey: "webApiKey" }, batch: { secretKey: "webApiKey" } } },
    },
    { path: "gateway.consumers.batch.secretKey", allowed: "gateway.consumers.web names it", fix: "another key" },
  ],
  [
    "a caller's key that is sent to others",
    {
      ...key("partnerApiKey"),
      models: { chat, partner },
      gateway: { ...gateway, consumers: { web: { secretKey: "partnerApiKey" } } },
    },
    { path: "gateway.consumers.web.secretKey", allowed: "models.partner.external names it", fix: "another key" },
  ],
  [
    "an issuer before its cert-manager",
    { gateway: { ...gateway, tls: { kind: "issuer", clusterIssuer: "corp" } } },
    { path: "cluster.certManager", allowed: "present", fix: "certManager: present" },
  ],
  [
    "a session header that means something else",
    { gateway: { ...gateway, affinity: "header", sessionHeader: "x-consumer-id" } },
    { path: "gateway.sessionHeader", allowed: "not reserved", fix: "" },
  ],
  [
    "a session header that nothing reads",
    { gateway: { ...gateway, sessionHeader: "x-user-id" } },
    { path: "gateway.sessionHeader", allowed: "affinity is header", fix: "affinity: header" },
  ],
  [
    "an alias that is another model's name",
    { models: { chat: { ...chat, aliases: ["small"] }, small: { ...chat } } },
    { path: "models.chat.aliases[0]", allowed: "models.small answers", fix: "another name" },
  ],
  [
    "aliases of an engine that serves one name",
    { models: { chat: { model: "llama-3.2-3b-instruct", engine: "ollama", aliases: ["gpt-4o-mini"] } } },
    { path: "models.chat.aliases", allowed: "only with engine vllm", fix: "servedName" },
  ],
]);

it("keys of callers are long, and of one caller each; none is told", () => {
  const consumers = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, { secretKey: `${name}ApiKey` }]));
  const [short, long] = ["sk-1", "sk-0123456789abcdef"];
  const values = { gateway: { consumers }, aApiKey: short, bApiKey: long, cApiKey: long, dApiKey: "(secret)" };
  const problems = callerKeyProblems(values, (key) => key !== "dApiKey");
  expect(problems.map(({ path }) => path)).toEqual([["aApiKey"], ["cApiKey"]]);
  expect(problems[1]?.allowed).toContain("that of the consumer b");
  expect(JSON.stringify(problems)).not.toMatch(/sk-/);
  expect(callerKeyProblems({ gateway: { consumers: ["web"] } }, () => true)).toEqual([]);
});
