import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { guarded } from "../../../cli/io";
import type { Snapshot } from "../../../cli/top/facts";
import { type Frame, frame, plainText } from "../../../cli/top/frame";
import { START, type View } from "../../../cli/top/view";
import { style } from "../../../report/style";
import { EVIL, expectHarmless } from "../hostile";
import { SNAPSHOT } from "./pictures";

const plain = style(false);
const at = (columns: number, rows: number, view: Partial<View> = {}, snapshot = SNAPSHOT): Frame =>
  frame(snapshot, { ...START, ...view }, { columns, rows }, plain);
const textAt = (...args: Parameters<typeof at>) => at(...args).lines.join("\n");

/** A snapshot in which each text is the given one. */
function saying(text: string): Snapshot {
  const replaced = JSON.stringify(SNAPSHOT, (key, value: unknown) =>
    typeof value !== "string" || ["at", "answeredAt", "kind"].includes(key) || key === "" ? value : text,
  );
  return JSON.parse(replaced) as Snapshot;
}

describe("a picture of the platform", () => {
  it("has every figure at 160 columns", () => {
    expect(`\n${textAt(160, 28)}`).toMatchInlineSnapshot(`
      "
      aws-prod · 03:00:07 UTC · 12.34 USD/h planned · 2 models · 2 workers

      firing alert      severity  about
      ModelUnavailable  critical  small

      model  state   ready  queue  running  first token  per token  request    KV   GPU    $/h  workers
      chat             1/2      3       16       412 ms      31 ms     20 s  93 %  88 %  10.00
      small  loaded             9                                            10 %         2.34  small-0

      worker   engine  state               memory                      disk  models  problem
      chat     vllm    running      60.0/80.0 GiB  ▇▇▇▇▇▇▇▇░░                     1
      small-0  ollama  unreachable    1.0/8.0 GiB  ▇░░░░░░░░░  5.0/50.0 GiB       0  connection refused

      task              state                done  worker   step
      pull llama3.2:1b  running  ▇▇▇▇░░░░░░  42 %  small-0
      load gone:1b      failed                              no such model

      GPU      card         model  memory  busy
      gpu-1 0  NVIDIA L40S  chat     88 %  70 %








      q quit · s sort · / filter · ? help · by name"
    `);
  });

  it("keeps state, queue, first token and KV cache at 60 columns", () => {
    expect(`\n${textAt(60, 30)}`).toMatchInlineSnapshot(`
      "
      aws-prod · 03:00:07 UTC · 12.34 USD/h planned · 2 models · …

      firing alert      severity  about
      ModelUnavailable  critical  small

      model  state   ready  queue  first token    KV   GPU
      chat             1/2      3       412 ms  93 %  88 %
      small  loaded             9               10 %

      worker   engine  state               memory  models
      chat     vllm    running      60.0/80.0 GiB       1
      small-0  ollama  unreachable    1.0/8.0 GiB       0

      task              state    done  worker   step
      pull llama3.2:1b  running  42 %  small-0
      load gone:1b      failed                  no such model

      GPU      card         model  memory  busy
      gpu-1 0  NVIDIA L40S  chat     88 %  70 %










      q quit · s sort · / filter · ? help · by name"
    `);
  });

  it("fits any terminal, whatever servers say", () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.constant(EVIL),
      fc.constant("名".repeat(80)),
    );
    fc.assert(
      fc.property(texts, fc.integer({ min: 60, max: 240 }), fc.integer({ min: 1, max: 80 }), (text, columns, rows) => {
        const { lines } = at(columns, rows, {}, saying(text));
        expect(lines).toHaveLength(Math.min(rows, lines.length));
        expect(lines.length).toBeLessThanOrEqual(rows);
        for (const line of lines.filter((each) => !each.startsWith("!"))) {
          expect([...line].length, line).toBeLessThanOrEqual(columns);
        }
      }),
    );
  });

  it("shows hostile names as text, on a screen and piped", () => {
    const drawn: string[] = [];
    const write = (text: string) => void drawn.push(text);
    const io = guarded({
      out: write,
      err: write,
      color: true,
      screen: () => ({ size: () => ({ columns: 80, rows: 40 }), draw: write, close: () => {} }),
    });
    const evil = saying(EVIL);
    const colours = style(true);
    io.screen?.({ onKey: () => {}, onResize: () => {} }).draw(
      frame(evil, START, { columns: 80, rows: 40 }, colours).lines.join("\n"),
    );
    io.out(plainText(evil, 200, colours));
    expect(drawn).toHaveLength(2);
    for (const text of drawn) {
      expectHarmless(text);
      expect(text).toContain("\\u001b[2J");
    }
  });

  it.each([
    ["queue", "small", "chat"],
    ["latency", "chat", "small"],
    ["memory", "chat", "small"],
    ["name", "chat", "small"],
  ] as const)("is sorted by %s", (sort, first, second) => {
    const lines = at(160, 40, { sort }).lines.slice(4);
    const line = (name: string) => lines.findIndex((each) => each.startsWith(`${name} `));
    expect(line(first)).toBeLessThan(line(second));
  });

  it("is filtered by any text of a row, in any case", () => {
    const text = textAt(160, 40, { filter: "SMALL-0" });
    expect(text).toContain("llama3.2:1b");
    expect(text).not.toContain("NVIDIA L40S");
    expect(textAt(160, 40, { filter: "zzz" })).toContain("no row has this text");
  });

  it("scrolls to its end and no further", () => {
    const { most } = at(100, 12);
    expect(most).toBeGreaterThan(0);
    expect(textAt(100, 12, { offset: most })).toContain("NVIDIA L40S");
    expect(at(100, 12, { offset: most + 5 }).lines).toEqual(at(100, 12, { offset: most }).lines);
    expect(at(100, 60).most).toBe(0);
  });

  it("states what is there now next to the plan, and of models what their pods claim", () => {
    const priced = { ...SNAPSHOT, actualHourlyUsd: 9.5, models: [{ name: "chat", hourlyUsd: 10, usdPerHour: 7.25 }] };
    const [head, ...rest] = plainText(priced, 200, plain).split("\n");
    expect(head).toContain("9.50 USD/h · 12.34 USD/h planned");
    expect(rest.find((line) => line.startsWith("chat"))).toMatch(/ 7\.25/);
    expect(plainText({ ...priced, hourlyUsd: undefined }, 200, plain)).not.toContain("cost is missing");
  });

  it("says since when a server is away, what to look at, and what nobody named", () => {
    const [answered] = [SNAPSHOT.sources.control.answeredAt];
    const control = { url: "http://c", ok: false, problem: "cut off", lookAt: "its log", answeredAt: answered };
    const away = { ...SNAPSHOT, hourlyUsd: undefined, sources: { control, prometheus: { ok: false } } };
    expect(plainText(away, 200, plain).split("\n").slice(1, 4)).toEqual([
      "! the control API: cut off; figures are of 03:00:07 UTC; look at its log",
      "replicas, queues, latency, KV cache and GPUs are missing: name Prometheus (--prometheus URL)",
      "cost is missing: name an environment",
    ]);
  });
});
