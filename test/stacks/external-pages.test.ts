/** docs/external-models.md and the part of docs/model-control.md on workers tell the truth: what they suggest is planned. */
import { describe, expect, it } from "vitest";
import { laptop, planOf, useFolder } from "../cli/run";
import { suggestedSections } from "./texts";

const folder = useFolder();
const SECRET = { secure: "v1:AAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" };

describe("docs/external-models.md", () => {
  const sections = suggestedSections("external-models.md");

  it.each(sections)("suggests what is planned: %j", async (fragment) => {
    const models = { ...laptop.models, ...Object(fragment.models) };
    const secrets = JSON.stringify(models).includes("partnerApiKey") ? { partnerApiKey: SECRET } : {};
    const { status, out, err } = await planOf(folder, { ...laptop, models, ...secrets }, "--json");
    expect(err).toBe("");
    expect(status).toBe(0);
    const [name] = Object.keys(Object(fragment.models));
    expect(JSON.parse(out).externalModels).toMatchObject([{ name }]);
  });

  it("suggests something", () => {
    expect(sections.length).toBe(4);
  });
});

describe("docs/model-control.md", () => {
  it("suggests workers outside that are planned", async () => {
    const [fragment, ...others] = suggestedSections("model-control.md").filter(({ modelControl }) =>
      Object.hasOwn(Object(modelControl), "workers"),
    );
    expect(others).toEqual([]);
    const { status, err } = await planOf(folder, { ...laptop, ...fragment }, "--json");
    expect(err).toBe("");
    expect(status).toBe(0);
  });
});
