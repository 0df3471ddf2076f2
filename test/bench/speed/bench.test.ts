import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readModelConfig } from "../../../planner/model/config-json";
import { countParameters } from "../../../planner/model/parameters";
import { constantRows, ownConstants } from "../../../planner/speed/constants";
import { OWN_MEASUREMENTS } from "./index";
import models from "./models.json";
import { predict } from "./predict";
import { failuresOf, tableOfUnanswered } from "./report";
import { resolve } from "./resolve";
import { readMeasured, readRows } from "./rows";

const rows = readMeasured(readFileSync(OWN_MEASUREMENTS, "utf8"));

describe("the bench of the speed model", () => {
  it("counts the parameters of its models as they were published, within 4 %", () => {
    for (const { name, billions, config } of models.models) {
      const counted = countParameters(readModelConfig(config, { name })).total / 1e9;
      expect(counted / billions, name).toBeGreaterThan(0.96);
      expect(counted / billions, name).toBeLessThan(1.04);
    }
  });

  it("answers all of its own measurements", () => {
    const unanswered = rows.map(resolve).filter((each) => "reason" in each);
    expect(unanswered.map(({ row }) => row.id)).toEqual([]);
    expect(rows.length).toBeGreaterThan(1200);
  });

  it("gives the prediction of a row alone that it gives among others", () => {
    const [first] = rows;
    const resolved = first && resolve(first);
    if (resolved === undefined || !("setup" in resolved)) {
      throw new Error("the first row is not answered");
    }
    const { value: _, ...asked } = resolved.row;
    expect(predict({ ...resolved, row: asked }, ownConstants)).toBe(predict(resolved, ownConstants));
  });

  it("fails for every class that no row was predicted of", () => {
    expect(failuresOf([])).toEqual(
      [
        ...["time per output token, dense", "time per output token, mixture of experts", "output tokens per second"],
        ...["one stream", "requests per second at a level", "prompts", "cards that no fit has seen"],
      ].map((name) => `no row was predicted of ${name}`),
    );
    expect(tableOfUnanswered([]).rows).toEqual([["all are answered", "0", ""]]);
  });

  it("keeps each constant within its physical bounds", () => {
    for (const { constant, of, value, least, most } of constantRows) {
      expect(value, `${constant} of ${of}`).toBeGreaterThanOrEqual(least);
      expect(value, `${constant} of ${of}`).toBeLessThanOrEqual(most);
    }
  });

  it("says where a file of rows is wrong, all at once", () => {
    const text = readFileSync(OWN_MEASUREMENTS, "utf8").split("\n").slice(0, 3).join("\n");
    expect(() => readMeasured(text.replaceAll(",c128,", ",x128,").replaceAll(",4,4,", ",four,4,"))).toThrow(
      /line 2.*\n.*line/s,
    );
    expect(() => readMeasured("id,model\na,b\n")).toThrow(/no column engine/);
  });

  it("reads what it can of a file that somebody else wrote, and says what is wrong with each other row", () => {
    const [header, first, second, third] = readFileSync(OWN_MEASUREMENTS, "utf8").split("\n");
    const odd = [header, first?.replace(",c128,", ",x128,"), second, third?.replace(",8192,", ",many,")].join("\n");
    const { rows: read, unreadable } = readRows(odd);
    expect(read.map(({ id }) => id)).toEqual([second?.split(",")[0]]);
    expect(unreadable.map(({ row }) => row.id)).toEqual([first, third].map((line) => line?.split(",")[0]));
    expect(unreadable[0]?.problems.join()).toMatch(/concurrency_or_rate is "x128"/);
  });
});
