import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { renderOf } from "../render/run";
import { environmentIn, laptop, plan, planOf, useFolder } from "./run";

const folder = useFolder();
const file = join(folder, "before.json");
const busier = { ...laptop, models: { chat: { ...laptop.models.chat, concurrency: 4 } } };

it("shows what differs from a plan of plan --json, and from that of a rendered folder", async () => {
  writeFileSync(file, (await planOf(folder, laptop, "--json")).out);
  const rendered = join(folder, "rendered");
  expect((await renderOf(folder, laptop, "--out", rendered)).status).toBe(0);
  for (const since of [file, rendered]) {
    const { status, out } = await planOf(folder, busier, "--since", since);
    expect([status, out]).toEqual([0, expect.stringContaining("- Model `chat`: concurrency 2 → 4\n")]);
    expect((await planOf(folder, laptop, "--since", since)).out).toContain("nothing: same models, replicas");
  }
});

it("refuses the folder of another environment", async () => {
  const rendered = join(folder, "rendered");
  const { status, out, err } = await plan("other", "--config", environmentIn(folder, laptop), "--since", rendered);
  expect([status, out, err]).toEqual([2, "", expect.stringContaining('was rendered from "test", not "other"')]);
});

it("refuses what holds no plan", async () => {
  writeFileSync(file, "{}");
  for (const since of [file, folder, join(folder, "none"), "/dev/null"]) {
    const { status, out, err } = await planOf(folder, laptop, "--since", since);
    expect([status, out, err]).toEqual([2, "", expect.stringContaining("--since takes a file that plan --json wrote")]);
  }
});
