/** Which models of the catalogue fit on the cards that one has. */
import { describe, expect, it } from "vitest";
import { modelNames } from "../../catalog/models";
import { main } from "../../cli/model";
import { runPiped } from "./run";

const model = (...argv: string[]) => runPiped(main, argv);

interface Row {
  readonly model: string;
  readonly fits: boolean;
  readonly gpus?: number;
  readonly spareGiB?: number;
  readonly smallerFormat?: { readonly quantization: string };
}
const rowsOn = async (...argv: string[]): Promise<Row[]> => JSON.parse((await model(...argv, "--json")).out);

describe("the models that fit on a card", () => {
  it("are listed with the rest of the catalogue, those that fit first", async () => {
    const { status, out, err } = await model("--card", "rtx-4090", "--gpus", "2");
    expect([status, err]).toEqual([0, ""]);
    expect(out).toMatch(/^2 × NVIDIA GeForce RTX 4090 · vLLM · \d+ of \d+ models fit, \d+ more in a smaller format\n/);
    expect(out).toMatch(/^phi-4 +chat +BF16 +1 × 8192 +2 +\d+\.\d +fits$/m);
    expect(out).toMatch(/^qwen2\.5-32b-instruct +chat +FP8-tensor .* fits with quantization: fp8$/m);
    expect(out).toMatch(/^mixtral-8x7b-instruct +chat +INT4-group-128 .* fits, as a repository in this format$/m);
    expect(out).toMatch(/^llama-3\.3-70b-instruct .* -\d+\.\d +too large$/m);
    expect(out.lastIndexOf(" fits\n")).toBeLessThan(out.indexOf(" fits with "));
    expect(out.lastIndexOf(" fits with ")).toBeLessThan(out.indexOf("too large"));
  });

  it("are more on more cards, each as it is answered by itself", async () => {
    const [one, two] = [await rowsOn("--card", "rtx-4090"), await rowsOn("--card", "rtx-4090", "--gpus", "2")];
    expect(two.map((row) => row.model)).toEqual(modelNames());
    const namesOf = (rows: readonly Row[]) => rows.filter(({ fits }) => fits).map((row) => row.model);
    expect(namesOf(two)).toEqual(expect.arrayContaining(namesOf(one)));
    expect(namesOf(two)).toContain("phi-4");
    expect(namesOf(one)).not.toContain("phi-4");
    for (const [name, status] of [
      ["phi-4", 0],
      ["qwen2.5-72b-instruct", 1],
    ] as const) {
      expect((await model(name, "--card", "rtx-4090", "--gpus", "2")).status, name).toBe(status);
      expect((await model(name, "--card", "rtx-4090")).status, name).toBe(1);
    }
  });

  it("are named in a smaller format as they are answered in it by themselves, unless a format is asked for", async () => {
    const machine = ["--card", "rtx-4090", "--gpus", "2"];
    const rows = await rowsOn(...machine);
    const smaller = rows.filter(({ smallerFormat }) => smallerFormat);
    expect(smaller.map(({ fits }) => fits)).toEqual(smaller.map(() => false));
    for (const { model: name, smallerFormat } of [...smaller.slice(0, 2), ...smaller.slice(-2)]) {
      const { status } = await model(name, ...machine, "--quantization", smallerFormat?.quantization ?? "");
      expect(status, name).toBe(0);
    }
    const asked = await rowsOn(...machine, "--quantization", "fp8");
    expect(asked.filter(({ smallerFormat }) => smallerFormat)).toEqual([]);
  });

  it("are those of a longer context and of a cloud's machine too", async () => {
    const long = await rowsOn("--shape", "g6e.4xlarge", "--context", "32768", "--concurrency", "8");
    const short = await rowsOn("--shape", "g6e.4xlarge");
    const count = (rows: readonly Row[]) => rows.filter(({ fits }) => fits).length;
    expect(count(long)).toBeGreaterThan(0);
    expect(count(long)).toBeLessThan(count(short));
  });

  it.each([
    [["--gpus", "2"], "--gpus is the number of a catalogue card"],
    [["qwen3-8b", "--shape", "g6.4xlarge", "--gpus", "2"], "--gpus is the number of a catalogue card"],
    [["--card", "rtx-4090", "--gpus", "0"], "--gpus must be a whole number above 0"],
    [["--context", "8192"], "expected one model, got 0; without arguments the catalogue's are listed, with --card"],
    [["--card", "rtx-4090", "--traffic", "rps=1,in=100,out=100"], "expected one model, got 0"],
    [["--card", "rtx-4090", "--gpu-memory-gib", "20"], "expected one model, got 0"],
  ])("are not asked for by %j", async (argv, message) => {
    const { status, err } = await model(...argv);
    expect([status, err]).toEqual([2, expect.stringContaining(message)]);
  });
});
