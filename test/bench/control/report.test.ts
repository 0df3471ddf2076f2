import { describe, expect, it } from "vitest";
import { percentile } from "./percentile";
import { answersTable, residencyTable, statusTable } from "./report";

describe("tables of the model control API", () => {
  it("compares loads with the first of as many connections, round by round", () => {
    const round = (perSecond: number, p50Seconds: number, p99Seconds: number) => ({
      perSecond,
      p50Seconds,
      p99Seconds,
    });
    const { title, rows } = statusTable(5, [
      { name: "Ollama", connections: 1, rounds: [round(100, 0.01, 0.02), round(50, 0.02, 0.04)] },
      { name: "API", connections: 1, rounds: [round(50, 0.02, 0.06), round(25, 0.04, 0.12)] },
      { name: "Ollama", connections: 16, rounds: [round(1000, 0.001, 0.002), round(1000, 0.001, 0.002)] },
      { name: "API", connections: 16, rounds: [round(3000, 0.0005, 0.002), round(3000, 0.0005, 0.002)] },
    ]);
    expect(title).toMatch(/^where is one of 5 models, 2 rounds;/);
    expect(rows).toEqual([
      ["Ollama", "1", "75", "15 ms", "30 ms", "1.00 ×", "1.00 ×", "1.00 ×"],
      ["API", "1", "38", "30 ms", "90 ms", "0.50 ×", "2.00 ×", "3.00 ×"],
      ["Ollama", "16", "1000", "1 ms", "2 ms", "1.00 ×", "1.00 ×", "1.00 ×"],
      ["API", "16", "3000", "0.5 ms", "2 ms", "3.00 ×", "0.50 ×", "1.00 ×"],
    ]);
  });

  it("tells what the API adds within a round, not between a slow and a fast one", () => {
    const { rows } = residencyTable([{ change: "load", directSeconds: [1, 0.1, 0.1], apiSeconds: [1.05, 0.15, 0.2] }]);
    expect(rows).toEqual([
      ["load, Ollama", "100 ms", "100 ms", "1000 ms", "", "1.0 ×"],
      ["load, API", "150 ms", "200 ms", "1050 ms", "50 ms", "1.5 ×"],
    ]);
  });
});

describe("the table of asynchronous answers", () => {
  it("compares what is answered at once with what Ollama answers at once, round by round", () => {
    const { title, rows } = answersTable([
      { name: "Ollama", atOnce: 1, roundSeconds: [2.4, 4.8] },
      { name: "tasks", atOnce: 1, roundSeconds: [4.8, 7.2] },
      { name: "Ollama", atOnce: 4, roundSeconds: [1.2, 1.2] },
      { name: "tasks", atOnce: 4, roundSeconds: [1.8, 1.8] },
    ]);
    expect(title).toMatch(/^24 prompts answered with 8 tokens each, 2 rounds;/);
    expect(rows).toEqual([
      ["Ollama", "1", "7.5", "150 ms", "", "1.00 ×", "1.00 ×"],
      ["tasks", "1", "4.2", "250 ms", "100 ms", "0.58 ×", "1.75 ×"],
      ["Ollama", "4", "20.0", "200 ms", "", "1.00 ×", "1.00 ×"],
      ["tasks", "4", "13.3", "300 ms", "100 ms", "0.67 ×", "1.50 ×"],
    ]);
  });
});

describe("percentile", () => {
  it("takes a value that was measured, by nearest rank", () => {
    const values = Array.from({ length: 200 }, (_, i) => 200 - i);
    expect([50, 99, 100].map((percent) => percentile(values, percent))).toEqual([100, 198, 200]);
    expect(percentile([3], 99)).toBe(3);
    expect(() => percentile([], 50)).toThrow("no values");
  });
});
