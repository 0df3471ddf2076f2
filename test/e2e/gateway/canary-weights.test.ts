/** Weights share requests in the real gateway: on the way by the body's `model`, behind the AI gateway's filter, and by the path. */
import { beforeAll, describe, expect, it } from "vitest";
import type { StandIn } from "../../../rehearsal/cluster/gateway/stand-ins";
import { endpoint } from "../../components/gateway/fixture";
import { sharedBySuite } from "../shared-by-suite";
import { answersOf, chat, chatByPath, countsOf, startReplicas, untilHealthy } from "./replicas";
import { standOf } from "./stand-of";

const REQUESTS = 1000;
/** Percent that each model's canary takes. */
const WEIGHTS = { none: 0, fifth: 20, all: 100 } as const;
const WAYS = [
  ["by name", chat],
  ["by path", chatByPath],
] as const;

const canaryOf = (model: string) => `${model}-canary`;

const stand = sharedBySuite(() => {
  const endpoints = Object.entries(WEIGHTS).flatMap(([model, weight]) => [
    endpoint(model),
    endpoint(canaryOf(model), { servedName: model, revisionOf: { model, weight } }),
  ]);
  return standOf({ endpoints }, { proxies: 0 });
});

const standIns = new Map<string, StandIn>();

beforeAll(async () => {
  for (const model of Object.keys(WEIGHTS)) {
    // Three to one: who shares by replicas instead of weights is found out.
    await startReplicas(stand(), model, 3);
    for (const [name, standIn] of await startReplicas(stand(), canaryOf(model), 1)) {
      standIns.set(name, standIn);
    }
  }
  await stand().startProxy();
  await untilHealthy(stand(), ["none"], 3);
  await untilHealthy(stand(), ["fifth"], 4);
  await untilHealthy(stand(), ["all"], 1);
});

/** How many requests the canary answers; all others its model must have. */
async function canaryAnswers(model: string, way: typeof chat): Promise<number> {
  const counts = countsOf(
    await answersOf(
      stand(),
      Array.from({ length: REQUESTS }, () => way(model)),
    ),
  );
  const { [`${canaryOf(model)}-0`]: canary = 0, ...others } = counts;
  const replicas = Object.keys(others).toSorted();
  expect(replicas).toEqual(canary === REQUESTS ? [] : [0, 1, 2].map((number) => `${model}-${number}`));
  return canary;
}

describe.each(WAYS)("%s", (_, way) => {
  it("gives a canary none of the requests, or all", async () => {
    expect(await canaryAnswers("none", way)).toBe(0);
    expect(await canaryAnswers("all", way)).toBe(REQUESTS);
  });

  it("gives it 20 of a hundred", async () => {
    const canary = await canaryAnswers("fifth", way);
    // Five standard deviations of 1,000 throws at 20 %: 63. With three, one run of 370 is further off.
    expect(Math.abs(canary - 0.2 * REQUESTS)).toBeLessThan(5 * Math.sqrt(REQUESTS * 0.2 * 0.8));
  });
});

it("keeps answering on a path of its own a canary that has no share", async () => {
  // By the model's own name there, as docs/canary.md says.
  const path = `/${canaryOf("none")}/v1/chat/completions`;
  const counts = countsOf(await answersOf(stand(), [{ path, model: "none" }]));
  expect(counts).toEqual({ "none-canary-0": 1 });
});

it("counts the tokens of both revisions, under the name that clients say", async () => {
  const entries = stand()
    .proxies.flatMap((proxy) => proxy.accessLog())
    .filter(({ path, model }) => path === "/v1/chat/completions" && model === "fifth");
  expect(new Set(entries.map(({ total_tokens }) => total_tokens))).toEqual(new Set([2]));
  const canary = standIns.get("fifth-canary-0");
  expect(entries.map(({ upstream }) => upstream)).toContain(`${canary?.address}:${canary?.port}`);
});

it("sends the share of a canary that is away to its model", async () => {
  await standIns.get("fifth-canary-0")?.close();
  await untilHealthy(stand(), ["fifth"], 3);
  for (const [, way] of WAYS) {
    expect(await canaryAnswers("fifth", way)).toBe(0);
  }
});
