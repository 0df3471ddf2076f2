import { describe, expect, it } from "vitest";
import { serverGroupsSections } from "../../report/html/server-groups";
import type { GroupsOfPlan } from "../../report/server-groups";
import { style } from "../../report/style";
import { serverGroups } from "../../report/terminal/server-groups";
import { modelPlan } from "./html.fixture";

const registrar = { url: "https://registrar.<b>.example", renewSeconds: 30, secretKey: "registrarApiKey" };
const inGroup = (group: string) => ({ node: { group } });

const plan: GroupsOfPlan = {
  groups: [
    { name: "drafting", model: "chat", registrar },
    { name: "outside", model: "gpt" },
    { name: "split", model: "writer" },
    { name: "waiting", model: "large" },
  ],
  models: [
    modelPlan({ name: "chat", minReplicas: 2, maxReplicas: 3, ...inGroup("drafting") }),
    modelPlan({ name: "chat-canary", revisionOf: { model: "chat", weight: 5 }, ...inGroup("drafting") }),
    modelPlan({
      name: "writer",
      minReplicas: 3,
      maxReplicas: 3,
      engineSettings: { prefillDecode: { prefill: 1, decode: 2 } },
      ...inGroup("split"),
    }),
    modelPlan({ name: "alone" }),
  ],
  unplaced: [{ name: "large" }] as unknown as GroupsOfPlan["unplaced"],
};

describe("server groups in reports", () => {
  it("say whose nodes they are, how many answer, and where", () => {
    expect(serverGroups(plan, style(false)).split("\n")).toEqual([
      "Server groups  model   nodes                                       at the gateway",
      "drafting       chat    2 nodes, room for 3 + 1 node of its canary  /drafting",
      "  registrar https://registrar.<b>.example, renewed every 30 s · key: secret registrarApiKey",
      "outside        gpt     an external server                          /outside",
      "split          writer  2 nodes                                     /split",
      "waiting        large   not placed                                  /waiting",
      "",
    ]);
  });

  it("have a section of the page, whose texts are escaped", () => {
    const [section, ...others] = serverGroupsSections(plan);
    expect(others).toEqual([]);
    expect(section?.body.text).toContain("<code>/drafting</code>");
    expect(section?.body.text).toContain("2 nodes, room for 3 + 1 node of its canary");
    expect(section?.body.text).not.toContain("<b>");
  });

  it("are nowhere in plans without any", () => {
    expect(serverGroups({ ...plan, groups: [] }, style(false))).toBe("");
    expect(serverGroupsSections({ ...plan, groups: [] })).toEqual([]);
  });
});
