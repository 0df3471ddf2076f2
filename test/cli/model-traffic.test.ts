import { describe, expect, it } from "vitest";
import { main } from "../../cli/model";

async function run(...argv: string[]) {
  const text = { out: "", err: "" };
  const status = await main(argv, {
    out: (part) => {
      text.out += part;
    },
    err: (part) => {
      text.err += part;
    },
  });
  return { status, ...text };
}

interface Answer {
  readonly machines: readonly {
    readonly shape: string;
    readonly gpu: string;
    readonly replicas: number;
    readonly nodes: number;
    readonly monthlyUsd: number;
    readonly tokenPrice: { readonly usdPerMillionTokens: number };
    readonly speed: {
      readonly simulated: boolean;
      readonly neededReplicas: number;
      readonly capacity: { readonly requestsPerSecond: number };
      readonly tokenMs: { readonly p99: { readonly high: number } };
    };
  }[];
  readonly refused: readonly { readonly shape: string; readonly kind: string; readonly reason: string }[];
}

async function answer(...argv: string[]): Promise<Answer> {
  const { status, out, err } = await run(...argv, "--json");
  expect([status, err]).toEqual([0, ""]);
  return JSON.parse(out) as Answer;
}

const SMALL = ["llama-3.1-8b-instruct", "--traffic", "rps=2,in=1000,out=300", "--level", "ttft=500,tpot=40"];

describe("npm run model with traffic", () => {
  it("lists machines by price, each of which keeps the level at the peak, the first by simulation", async () => {
    const { machines, refused } = await answer(...SMALL);
    expect(machines.length).toBeGreaterThan(3);
    expect(machines.map(({ monthlyUsd }) => monthlyUsd)).toEqual(
      machines.map(({ monthlyUsd }) => monthlyUsd).toSorted((a, b) => a - b),
    );
    expect(machines.slice(0, 5).every(({ speed }) => speed.simulated)).toBe(true);
    expect(machines.slice(5).map(({ speed }) => speed.simulated)).toContain(false);
    for (const { replicas, speed, monthlyUsd, tokenPrice } of machines) {
      expect(replicas * speed.capacity.requestsPerSecond).toBeGreaterThanOrEqual(4 - 1e-9);
      expect(replicas).toBe(speed.neededReplicas);
      expect(tokenPrice.usdPerMillionTokens).toBeCloseTo((1e6 * monthlyUsd) / (2 * 730 * 3600 * 1300), 6);
    }
    for (const { speed } of machines.filter(({ speed }) => speed.simulated)) {
      expect(speed.tokenMs.p99.high).toBeLessThanOrEqual(40);
    }
    const names = new Set([...machines, ...refused].map(({ shape }) => shape));
    expect(names.size).toBe(machines.length + refused.length);
    expect(refused.filter(({ kind }) => kind === "memory").map(({ shape }) => shape)).toContain("g4dn.xlarge");
  });

  it("says in words what it costs, why the next one lost, who cannot, and what to write", async () => {
    const { status, out } = await run(...SMALL);
    expect(status).toBe(0);
    expect(out).toMatch(/2 requests\/s, 4 at the peak, of 1,000 \+ 300 tokens/);
    expect(out).toMatch(
      /^The runner-up \S+ costs \d+ % more than \S+: a replica \(TP \d\) answers [\d.]+ requests\/s/m,
    );
    expect(out.replaceAll("\n", " ")).toMatch(
      /\d+ machines that are too slow; nearest \S+: on [^;]* is below the floor of/,
    );
    expect(out).toContain("traffic: { requestsPerSecond: 2, peakFactor: 2, inputTokens: 1000, outputTokens: 300,");
    expect(out).toContain("serviceLevel: { ttftMs: 500, tpotMs: 40, percentile: 99, confidence: 0.8 }");
  });

  it("shows each machine with its card", async () => {
    const [{ machines }, { out }] = await Promise.all([answer(...SMALL), run(...SMALL)]);
    const rows = new Map(out.split("\n").map((line) => [line.split(/ {2,}/)[0], line.split(/ {2,}/)] as const));
    for (const { shape, gpu } of machines.slice(0, 5)) {
      expect(gpu).toContain(rows.get(shape)?.[1]);
    }
  });

  it("takes more machines for more requests, and the same settings by their own names", async () => {
    const few = await answer("llama-3.1-8b-instruct", "--shape", "g6e.xlarge", "--traffic", "rps=1,in=500,out=100");
    const many = await answer(
      "llama-3.1-8b-instruct",
      "--shape",
      "g6e.xlarge",
      "--traffic",
      "requestsPerSecond=60,inputTokens=500,outputTokens=100",
    );
    const [before] = few.machines;
    const [after] = many.machines;
    expect(after?.replicas).toBeGreaterThan(before?.replicas ?? 99);
    expect(after?.nodes).toBe(after?.replicas);
  });

  it("keeps one replica to spare for availability", async () => {
    const args = ["llama-3.1-8b-instruct", "--shape", "g6e.xlarge", "--traffic", "rps=1"];
    const [bare] = (await answer(...args)).machines;
    const [spare] = (await answer(...args, "--level", "availability=0.999")).machines;
    expect(spare?.replicas).toBe((bare?.replicas ?? 0) + 1);
  });

  it("compares machines of one's own by their number of cards", async () => {
    const { machines } = await answer("qwen3-8b", "--card", "rtx-4090", "--traffic", "rps=0.2");
    expect(machines[0]?.shape).toBe("1 × rtx-4090");
    expect(machines[0]?.monthlyUsd).toBe(0);
  });

  it("ends with 1 where no machine keeps the level, and names the one that comes nearest", async () => {
    const { status, out } = await run("llama-3.1-8b-instruct", "--traffic", "rps=2", "--level", "tpot=0.2");
    expect(status).toBe(1);
    expect(out).toContain("no machine answers that");
    expect(out).toContain("To fix it");
    const [, nearest = ""] = /too slow; nearest (\S+):/.exec(out) ?? [];
    expect(["BM.GPU.B200.8", "p6-b200.48xlarge", "BM.GPU.MI355X.8", "p5en.48xlarge", "BM.GPU.H200.8"]).toContain(
      nearest,
    );
  });

  it.each([
    [
      ["--traffic", "rsp=2,in=x,out=1,out=2"],
      ['no "rsp"', 'in must be a number, is "x"', "out is given twice"],
    ],
    [
      ["--traffic", "in=20", "--level", "tpot=0,foo=1"],
      ["--traffic needs rps=…", '--level has no "foo"'],
    ],
    [
      ["--traffic", "rps=-1", "--level", "tpot=0"],
      ["--traffic rps is -1", "--level tpot is 0"],
    ],
    [["--traffic", "rps=1,in=10,prefix=20"], ["prefix must be at most in, 10, is 20"]],
    [
      ["--traffic", "rps=two,in=0", "--level", "percentile=99.9,confidence=80%"],
      ['rps must be a number, is "two"', "in is 0", "percentile is 99.9", 'confidence must be a number, is "80%"'],
    ],
    [["--traffic", "2"], ['--traffic "2" has no "=": write rps=…']],
    [["--traffic", "rps=1", "--level", "percentile=99"], ["percentile and confidence are of ttft, tpot or tps"]],
    [["--level", "tpot=4"], ["--level is kept for --traffic"]],
    [["--traffic", "rps=1", "--host-memory-gib", "64", "--engine", "ollama"], ["--traffic compares machines"]],
  ])("refuses %j with all that is wrong", async (args, told) => {
    const { status, out, err } = await run("llama-3.1-8b-instruct", ...args);
    expect([status, out]).toEqual([2, ""]);
    for (const each of told) {
      expect(err).toContain(each);
    }
  });

  it("refuses models that make no tokens, as an environment does", async () => {
    const { status, err } = await run("bge-m3", "--traffic", "rps=1");
    expect([status, err]).toEqual([2, expect.stringContaining("bge-m3 is for embedding")]);
  });

  it("tells machines on which no replica starts from those of which it would take too many", async () => {
    // Its card would do; the memory of the machine beside it does not.
    const { status, out } = await run("llama-3.1-8b-instruct", "--traffic", "rps=1", "--shape", "g5.xlarge", "--json");
    const { refused } = JSON.parse(out) as Answer;
    expect(status).toBe(1);
    expect(refused).toMatchObject([{ kind: "memory", reason: expect.stringContaining("CPUs to start") }]);
  });

  it("refuses requests that are longer than the model's context", async () => {
    const { status, err } = await run("llama-3.1-8b-instruct", "--traffic", "rps=1,in=131072,out=300");
    expect(status).toBe(2);
    expect(err).toContain("131372 tokens together, more than the 131072 that the model knows");
  });
});
