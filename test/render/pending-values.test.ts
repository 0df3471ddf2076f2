import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultAnswers } from "../../offline/answers";
import { compare, PendingText, pendingPaths, StandIns } from "../../render/pending-values";

const PASSWORD = "random:index/randomPassword:RandomPassword";
const CONFIG = { "inference-stacks:alertWebhookUrl": "(secret)", "inference-stacks:stage": "production" };

/** What a program makes of a password and a secret of the configuration, in both runs. */
function compared(make: (password: string, url: string) => unknown): unknown {
  const [a, b] = ["a", "b"].map((letter) => {
    const standIns = new StandIns(letter);
    const config = standIns.config(CONFIG, ["inference-stacks:alertWebhookUrl"]);
    const { result } = standIns.over(defaultAnswers).state(PASSWORD, "key", { length: 40 });
    return { standIns, made: make(String(result), config["inference-stacks:alertWebhookUrl"] ?? "") };
  });
  if (!a || !b) {
    throw new Error("there are two runs");
  }
  return compare("it", a.made, a.standIns, b.made, b.standIns);
}

function partsOf(value: unknown): unknown {
  return value instanceof PendingText
    ? value.parts?.map((part) => (typeof part === "object" && "id" in part ? part.origin : part))
    : "not pending";
}

describe("compare", () => {
  it("leaves alone what no secret decides", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(compared(() => value)).toEqual(value);
      }),
    );
  });

  it("knows which value a text is", () => {
    expect(partsOf(compared((password) => password))).toEqual([
      { kind: "provider", type: PASSWORD, name: "key", output: "result", inputs: { length: 40 } },
    ]);
    expect(partsOf(compared((_, url) => url))).toEqual([{ kind: "config", key: "alertWebhookUrl" }]);
  });

  it("finds several values in a text, with what stands around them", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const parts = partsOf(compared((password, url) => `${before}${url} ${password}${after}`));
        expect(parts).toEqual([
          ...(before === "" ? [] : [before]),
          expect.objectContaining({ kind: "config" }),
          " ",
          expect.objectContaining({ kind: "provider" }),
          ...(after === "" ? [] : [after]),
        ]);
      }),
    );
  });

  it.each([
    { how: "encoded", of: (password: string) => Buffer.from(password).toString("base64") },
    { how: "hashed", of: (password: string) => createHash("sha512").update(password).digest("hex") },
    { how: "cut", of: (password: string) => password.slice(0, -3) },
  ])("finds a text that a value was $how into, and knows that it cannot say how", ({ of }) => {
    expect(partsOf(compared(of))).toBe(undefined);
  });

  it("knows the SHA-256 of a value, wherever it stands, and no other", () => {
    const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
    const other = sha256("known to everyone");
    expect(partsOf(compared((password) => `${other}:${sha256(password)}`))).toEqual([
      `${other}:`,
      { sha256Of: expect.objectContaining({ origin: expect.objectContaining({ name: "key" }) }) },
    ]);
    expect(partsOf(compared((password) => sha256(`salt ${password}`)))).toBe(undefined);
  });

  it("says where", () => {
    const value = compared((password) => ({ a: [{ b: "plain" }, { b: `x${password}` }] }));
    expect(pendingPaths(value).map(({ path }) => path)).toEqual([["a", 1, "b"]]);
  });

  it("refuses a structure that depends on a secret", () => {
    expect(() => compared((password) => ({ [password]: 1 }))).toThrow("it takes another shape with other secrets");
    expect(() => compared((password) => password.charCodeAt(8))).toThrow("it takes another shape with other secrets");
  });
});
