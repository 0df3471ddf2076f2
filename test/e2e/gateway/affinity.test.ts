/** Sessions stay at a replica, by header and by cookie, in the real gateway: two Envoys, programmed by the real controllers. */
import { beforeAll, expect, it } from "vitest";
import { publishedExternal } from "../../../components/gateway/published";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { endpoint } from "../../components/gateway/fixture";
import { sharedBySuite } from "../shared-by-suite";
import {
  type Answer,
  answersOf,
  type Call,
  chat,
  chatByPath,
  completion,
  countsOf,
  startReplicas,
  untilHealthy,
} from "./replicas";
import { standOf } from "./stand-of";

const REPLICAS = 5;
/** Of 1,000; seen: 0 to 5. Maglev fills its table anew, and some slots change hands. */
const MOST_NEEDLESS = 50;
const KEYS = Array.from({ length: 1000 }, (_, index) => `session-${index}`);

/** Somebody else's model. */
const FRIEND = {
  name: "friend",
  servedName: "friend",
  modelThere: "friend",
  healthPath: "/v1/models",
  task: "chat",
  url: "http://friend.example.com:8000/v1",
} as const;

const stand = sharedBySuite(() =>
  standOf(
    {
      endpoints: [endpoint("talk"), endpoint("desk")],
      outside: [publishedExternal(FRIEND)],
      sessions: new Map([
        ["talk", "header"],
        ["desk", "cookie"],
      ]),
    },
    { proxies: 0 },
  ),
);

const session = (key: string) => chat("talk", { "x-session-id": key });
const desk = (cookie: string) => chat("desk", { cookie });
const who = async (calls: readonly Call[]) => (await answersOf(stand(), calls)).map(({ replica }: Answer) => replica);

/** Takes a replica away, and says how many of the calls another answers than before, and how many of those needlessly. */
async function movedWithoutOne(model: string, calls: readonly Call[]) {
  const before = await who(calls);
  const [[gone, standIn] = ["", undefined]] = replicas.get(model) ?? [];
  await standIn?.close();
  await untilHealthy(stand(), [model], REPLICAS - 1);
  const after = await who(calls);
  expect([...new Set(after)].toSorted()).toEqual([...new Set(before)].filter((replica) => replica !== gone).toSorted());
  const moved = before.filter((replica, index) => replica !== after[index]);
  return { share: moved.length / calls.length, needlessly: moved.filter((replica) => replica !== gone).length };
}

const replicas = new Map<string, Awaited<ReturnType<typeof startReplicas>>>();

beforeAll(async () => {
  for (const model of ["talk", "desk"]) {
    replicas.set(model, await startReplicas(stand(), model, REPLICAS));
  }
  await stand().startProxy();
  await stand().startProxy();
  await untilHealthy(stand(), ["talk", "desk"], REPLICAS);
});

it("sends 1,000 requests of one session to one of five replicas, on both ways and at both proxies", async () => {
  const header = { "x-session-id": "a" };
  const calls = KEYS.map((_, index) => (index % 2 === 0 ? chat("talk", header) : chatByPath("talk", header)));
  const counts = countsOf(await answersOf(stand(), calls));
  expect(Object.values(counts)).toEqual([1000]);
  const sample = calls.slice(0, 20);
  expect(Object.keys(countsOf(await answersOf(stand(), sample, stand().proxies[1])))).toEqual(Object.keys(counts));
});

it("agrees on sessions at both proxies, and moves those of a replica that leaves, hardly others", async () => {
  const some = KEYS.slice(0, 100).map(session);
  const elsewhere = await answersOf(stand(), some, stand().proxies[1]);
  expect(elsewhere.map(({ replica }) => replica)).toEqual(await who(some));

  const { share, needlessly } = await movedWithoutOne("talk", KEYS.map(session));
  console.info(`by header: ${1000 * share} of 1,000 sessions moved, ${needlessly} of them from replicas that stayed`);
  expect(share).toBeGreaterThan(0.1);
  expect(share).toBeLessThan(0.3);
  expect(needlessly).toBeLessThan(MOST_NEEDLESS);
});

it("balances requests without a session", async () => {
  const counts = countsOf(
    await answersOf(
      stand(),
      KEYS.slice(0, 500).map(() => chat("talk")),
    ),
  );
  expect(Object.keys(counts)).toHaveLength(REPLICAS - 1);
  // A quarter each is 125; four standard deviations of 500 throws at a quarter are 39.
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(125 - 39);
});

it("makes a cookie that browsers keep to themselves, and keeps its session", async () => {
  const [{ replica, setCookie } = { replica: "", setCookie: [] }] = await answersOf(stand(), [chat("desk")]);
  expect(setCookie).toHaveLength(1);
  const [pair = "", ...attributes] = (setCookie[0] ?? "").split("; ");
  expect(pair).toMatch(/^inference-session="?\w+"?$/);
  expect(attributes.toSorted()).toEqual(["HttpOnly", "Max-Age=28800", "Path=/", "SameSite=Strict", "Secure"]);

  const again = await answersOf(
    stand(),
    KEYS.map(() => desk(pair)),
  );
  expect(countsOf(again)).toEqual({ [replica]: 1000 });
  expect(again.flatMap((answer) => answer.setCookie)).toEqual([]);
});

it("moves few of the sessions that cookies keep", async () => {
  const { share, needlessly } = await movedWithoutOne(
    "desk",
    KEYS.map((key) => desk(`inference-session=${key}`)),
  );
  console.info(`by cookie: ${1000 * share} of 1,000 sessions moved, ${needlessly} of them from replicas that stayed`);
  expect(share).toBeGreaterThan(0.1);
  expect(share).toBeLessThan(0.3);
  expect(needlessly).toBeLessThan(MOST_NEEDLESS);
});

it("keeps cookies from servers outside, on both ways", async () => {
  const got: (string | undefined)[] = [];
  await stand().serve(FRIEND.name, (asked, answer) => {
    got.push(asked.headers.cookie);
    asked
      .resume()
      .on("end", () => answer.setHeader("content-type", "application/json").end(completion("friend", "friend")));
  });
  const cookie = { cookie: "inference-session=a" };
  await waitFor("the server outside", async () => {
    await answersOf(stand(), [chat(FRIEND.name, cookie)]);
    return got.length > 0 || undefined;
  });
  const before = got.length;
  const answers = await answersOf(stand(), [chat(FRIEND.name, cookie), chatByPath(FRIEND.name, cookie)]);
  expect(answers.map(({ replica }) => replica)).toEqual(["200", "200"]);
  expect(got.length - before).toBe(2);
  expect(new Set(got)).toEqual(new Set([undefined]));
});
