import { describe, expect, it } from "vitest";
import { bodiesTable, requestsTable } from "./report";

describe("tables of the gateway", () => {
  const round = (seconds: number, envoyCpuSeconds = 0, filterCpuSeconds = 0) => ({
    perSecond: 1 / seconds,
    p50Seconds: seconds,
    p99Seconds: 2 * seconds,
    firstByteSeconds: seconds / 2,
    envoyCpuSeconds,
    filterCpuSeconds,
  });
  const load = { kind: "chat", requests: 500, connections: 1 };

  it("compare ways with the first that had the same requests, round by round", () => {
    const { title, rows } = requestsTable([
      { ...load, way: "direct", rounds: [round(0.01), round(0.1)] },
      { ...load, way: "Envoy", rounds: [round(0.02, 0.5, 1), round(0.2, 0.7, 2)] },
      { ...load, connections: 16, way: "Envoy", rounds: [round(0.02, 0.5), round(0.02, 0.5)] },
    ]);
    expect(title).toMatch(/^through the gateway, 2 rounds;/);
    expect(rows).toEqual([
      ["chat: direct", "1", "55", "55 ms", "110 ms", "", "", "1.0 ×", "", ""],
      ["chat: Envoy", "1", "28", "110 ms", "220 ms", "27.5 ms", "110 ms", "0.5 ×", "1.20 s", "3.00 s"],
      ["chat: Envoy", "16", "50", "20 ms", "40 ms", "", "", "1.0 ×", "", ""],
    ]);
  });

  it("tell memory by what each further body adds", () => {
    const MIB = 2 ** 20;
    const { rows } = bodiesTable(4, [
      { bodies: 0, envoyBytes: 100e6, filterBytes: 50e6 },
      { bodies: 10, envoyBytes: 100e6 + 40 * MIB, filterBytes: 50e6 + 120 * MIB },
    ]);
    expect(rows).toEqual([
      ["0", "100 MB", "50 MB", "", ""],
      ["10", "142 MB", "176 MB", "1.0 ×", "3.0 ×"],
    ]);
  });
});
