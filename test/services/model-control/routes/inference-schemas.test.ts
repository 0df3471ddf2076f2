import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { inferenceBody, untilFirstBad } from "../../../../services/model-control/src/routes/inference-schemas";

const good = { role: "user", content: "a" } as const;
const MANY = 10_000;

describe("a body that nobody has checked", () => {
  it.each([
    [{ model: "m", prompt: "a" }],
    [{ model: "m", prompt: ["a", "b"], options: { seed: 1, stop: ["x"] } }],
    [{ model: "m", messages: [good, good] }],
    [{ model: "m", messages: [[good], [good, good]] }],
    [{ prompt: 7, messages: "x", options: [] }],
    [{}],
  ])("is as it was where its lists are good, or no lists: %j", (body) => {
    expect(untilFirstBad(body)).toEqual(body);
  });

  it.each([
    [{ prompt: ["a", ...Array(MANY).fill(0)] }, { prompt: [0] }],
    [{ messages: [good, ...Array(MANY).fill({})] }, { messages: [{}] }],
    [{ messages: [[good], Array(MANY).fill(0), [good]] }, { messages: [[0]] }],
    [{ messages: [[good], ...Array(MANY).fill(0)] }, { messages: [0] }],
    [{ messages: Array(MANY).fill([{}]) }, { messages: [[{}]] }],
    [
      { model: "m", a: 1, b: 2, prompt: "x" },
      { model: "m", a: null, prompt: "x" },
    ],
    [{ options: { seed: 1, stop: Array(MANY).fill(0) } }, { options: { seed: 1, stop: [0, 0, 0, 0, 0] } }],
  ])("keeps of a list no more than its first bad entry: case %#", (body, kept) => {
    expect(untilFirstBad(body)).toEqual(kept);
  });

  it("is accepted as before where it is right, and refused where it is not, whatever it is", () => {
    const schema = inferenceBody(z.string(), {
      tokens: { default: 1, max: 1 },
      seconds: { default: 1, max: 1 },
      prompts: 1,
    } as Parameters<typeof inferenceBody>[1]);
    const lists = (entry: fc.Arbitrary<unknown>) => fc.oneof(entry, fc.array(entry, { maxLength: 3 }), fc.anything());
    const message = fc.oneof({ weight: 4, arbitrary: fc.constant(good) }, fc.anything());
    const bodies = fc.oneof(
      fc.anything(),
      fc.record(
        {
          model: fc.constant("m"),
          prompt: lists(fc.constantFrom("a", "", 0)),
          messages: lists(fc.array(message, { maxLength: 3 })),
          options: fc.oneof(fc.record({ stop: lists(fc.constantFrom("x", 0)) }), fc.anything()),
          other: fc.anything(),
        },
        { requiredKeys: ["model"] },
      ),
    );
    fc.assert(
      fc.property(bodies, (body) => {
        expect(schema.safeParse(untilFirstBad(body)).success).toBe(schema.safeParse(body).success);
      }),
      { numRuns: 500 },
    );
  });
});
