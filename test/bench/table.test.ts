import { describe, expect, it } from "vitest";
import { formatTable, megabytes, milliseconds, seconds, times } from "./table";

describe("formatTable", () => {
  it("aligns names to the left and numbers to the right", () => {
    const table = {
      title: "runs",
      columns: ["name", "time"],
      rows: [["a", "10.00 s"], ["longer", "1.00 s"], ["empty"]],
    };
    expect(formatTable(table)).toBe(
      ["runs", "", "  name       time", "  a       10.00 s", "  longer   1.00 s", "  empty"].join("\n"),
    );
  });
});

describe("units", () => {
  it("names every unit", () => {
    expect(seconds(1.2345)).toBe("1.23 s");
    expect(milliseconds(0.0123456)).toBe("12.3 ms");
    expect(milliseconds(12.3456)).toBe("12300 ms");
    expect(megabytes(400e6)).toBe("400 MB");
    expect(times(8.25)).toBe("8.3 ×");
  });
});
