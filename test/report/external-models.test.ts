import { describe, expect, it } from "vitest";
import type { ExternalModelPlan } from "../../planner/types";
import { externalModelsSections } from "../../report/html/external-models";
import { style } from "../../report/style";
import { externalModels } from "../../report/terminal/external-models";

const models: readonly ExternalModelPlan[] = [
  {
    name: "small",
    servedName: "gpt-small",
    task: "chat",
    url: "https://api.example.com/v1",
    modelThere: "gpt-4o-mini",
    healthPath: "/v1/models",
    secretKey: "partnerApiKey",
  },
  {
    name: "office",
    servedName: "office",
    task: "embedding",
    url: "https://llm.<b>.example/v1",
    modelThere: "office",
    healthPath: "/<b>health",
    networks: ["10.1.2.0/28"],
    authorities: { file: "office.pem", text: "PEM" },
  },
];

describe("models of others in reports", () => {
  it("stand by themselves in the terminal, with no figure of ours", () => {
    expect(externalModels(models, style(false)).split("\n")).toEqual([
      "External models  outside: not placed, not sized, cost not counted here",
      "small            outside: https://api.example.com/v1",
      "  chat · called gpt-small here, gpt-4o-mini there · key: secret partnerApiKey · health: /v1/models",
      "office           outside: https://llm.<b>.example/v1",
      "  embedding · called office here and there · no key · health: /<b>health · reached in 10.1.2.0/28",
      "  alone · certificates of office.pem",
      "",
    ]);
  });

  it("have a section of the page, whose texts are escaped", () => {
    const [section, ...others] = externalModelsSections(models);
    expect(others).toEqual([]);
    expect(section?.lead).toMatch(/nothing of them is placed, sized or counted/);
    expect(section?.body.text).toContain("key: secret partnerApiKey");
    expect(section?.body.text).not.toContain("<b>");
  });

  it("are no section where there are none", () => {
    expect(externalModels([], style(false))).toBe("");
    expect(externalModelsSections([])).toEqual([]);
  });
});
