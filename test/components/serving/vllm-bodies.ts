/** Bodies that vLLM's request classes could take, with what strangers may add. */
import fc from "fast-check";
import { type Members, readMembers, writeMembers } from "../../../components/serving/scripts/json-members.ts";
import type { CompletionPath } from "../../../components/serving/scripts/vllm-request.ts";
import fields from "../../../components/serving/scripts/vllm-request-fields.json";

export type Json = Record<string, unknown>;
export const membersOf = (body: Json) => readMembers(Buffer.from(JSON.stringify(body)));
export const jsonOf = (members: Members) => JSON.parse(Buffer.concat(writeMembers(members)).toString()) as Json;

const PATHS = Object.keys(fields.paths) as CompletionPath[];
/** Never to be seen by an engine: everything that clients put into fields that engines must not have. */
export const MARK = "169.254.169.254";
/** What a prefill pod says. */
export const LIES = { do_remote_prefill: true, remote_host: "10.0.0.7" };
const STRANGE = ["extra_body", "extra_args", "kv_transfer_params ", "KV_TRANSFER_PARAMS", "toString", "constructor"];
const FORBIDDEN = [
  "kv_transfer_params",
  "ec_transfer_params",
  "request_id",
  "logits_processors",
  "__proto__",
  ...STRANGE,
];

const marked = fc.oneof(
  fc.constant(MARK),
  fc.constant([MARK]),
  fc.constant({ do_remote_prefill: true, remote_host: MARK, "lmcache.tag": MARK }),
);
const value = fc.oneof(
  fc.constantFrom<unknown>(null, false, true, 0, 1, 2, "", "1", [], {}),
  fc.array(fc.oneof(fc.nat(), fc.string(), fc.array(fc.nat()))),
  fc.jsonValue({ maxDepth: 2 }),
);
const xargs = fc.oneof(
  marked,
  fc
    .tuple(
      fc.dictionary(fc.constantFrom("kv_transfer_params", "ec_transfer_params", "kv_cache_report_mode", "own"), marked),
      fc.dictionary(fc.constantFrom("ngram_size", "window_size", "diffusion_max_steps"), value),
    )
    .map(([bad, good]) => ({ ...bad, ...good })),
);
/** Fields of a path that engines may have, but those of `vllm_xargs`. */
export const listed = (path: CompletionPath) =>
  Object.keys(fields.paths[path]).filter((name) => name !== "vllm_xargs" && !FORBIDDEN.includes(name));
const body = (path: CompletionPath) =>
  fc
    .tuple(
      fc.dictionary(fc.constantFrom(...listed(path)), value, { maxKeys: 12 }),
      fc.dictionary(
        fc.oneof(
          fc.constantFrom(...FORBIDDEN),
          fc.string().map((name) => `x-${name}`),
        ),
        marked,
        { maxKeys: 4 },
      ),
      fc.option(xargs, { nil: undefined }),
    )
    // As from the network: `__proto__` is a field like any other there.
    .map(([good, bad, vllm_xargs]) => JSON.parse(JSON.stringify({ ...good, ...bad, vllm_xargs })) as Json);
/** A request as strangers may send it, and where. */
export const request = fc.constantFrom(...PATHS).chain((path) => body(path).map((asked) => ({ path, asked })));
