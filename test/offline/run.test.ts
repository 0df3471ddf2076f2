import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { describe, expect, it } from "vitest";
import { defaultAnswers } from "../../offline/answers";
import { runOffline, UnsettledProgramError } from "../../offline/run";
import { Turns } from "../../offline/turns";

const OPTIONS = { project: "inference-stacks", stack: "test" };

describe("a program that runs offline", () => {
  it("keeps what its resources depend on, however many there are", async () => {
    const { resources } = await runOffline(() => {
      const first = new random.RandomPassword("first", { length: 1 });
      for (let i = 0; i < 200; i++) {
        new random.RandomPassword(`next-${i}`, { length: 1 }, { dependsOn: i === 199 ? [first] : [] });
      }
    }, OPTIONS);
    const [, first, ...next] = resources;
    expect(next).toHaveLength(200);
    expect(next.map(({ dependsOn }) => dependsOn)).toEqual([...Array.from({ length: 199 }, () => []), [first?.urn]]);
  });

  it("keeps what the engine finishes before each: also whose outputs it takes, and all that is below a component", async () => {
    const { resources } = await runOffline(() => {
      const group = new pulumi.ComponentResource("test:Group", "group");
      const member = new random.RandomPassword("member", { length: 1 }, { parent: group });
      const other = new random.RandomPassword("other", { length: 1 });
      new random.RandomPassword("taker", { length: other.length, keepers: { of: member.result } });
      new random.RandomPassword("waiter", { length: 1 }, { dependsOn: [group] });
    }, OPTIONS);
    const named = (urns: readonly string[] = []) => urns.map((urn) => resources.find((each) => each.urn === urn)?.name);
    const waitsOf = (name: string) => named(resources.find((each) => each.name === name)?.waitsFor).sort();
    expect(waitsOf("taker")).toEqual(["member", "other"]);
    expect(waitsOf("waiter")).toEqual(["member"]);
    expect(waitsOf("other")).toEqual([]);
    const taker = resources.find((each) => each.name === "taker");
    expect(
      Object.fromEntries(Object.entries(taker?.origins ?? {}).map(([input, urns]) => [input, named(urns)])),
    ).toEqual({
      length: ["other"],
      keepers: ["member"],
    });
  });

  it("is told what a provider answers as values, also where that is an output", async () => {
    const result: readonly unknown[] = ["plain", { of: ["lists"] }, pulumi.output("later"), pulumi.secret("kept")];
    const answers = { ...defaultAnswers, state: () => ({ result }) };
    const { resources } = await runOffline(
      () => {
        const { result } = new random.RandomPassword("first", { length: 1 });
        new random.RandomPassword("second", { length: 1, keepers: { told: pulumi.jsonStringify(result) } });
      },
      { ...OPTIONS, answers },
    );
    const told = JSON.stringify(["plain", { of: ["lists"] }, "later", "kept"]);
    expect(resources.at(-1)?.inputs.keepers).toEqual({ told });
  });

  it("is given up when it waits for what never comes, and names the first that do", async () => {
    const never = new Promise<number>(() => {});
    const stuck = runOffline(
      () => {
        for (let i = 0; i < 25; i++) {
          new random.RandomPassword(`stuck-${i}`, { length: never });
        }
      },
      { ...OPTIONS, drainTimeoutMs: 50 },
    );
    await expect(stuck).rejects.toThrow(UnsettledProgramError);
    await expect(stuck).rejects.toThrow(/"stuck-0", .*"stuck-19" and 5 more$/);
  });
});

describe("turns of registrations", () => {
  it("let some go at a time, in order", async () => {
    const turns = new Turns();
    const gone: number[] = [];
    const all = Array.from({ length: 130 }, (_, i) => turns.next().then(() => gone.push(i)));
    await all[0];
    expect(gone.length).toBeLessThan(130);
    await Promise.all(all);
    expect(gone).toEqual(Array.from({ length: 130 }, (_, i) => i));
  });
});
