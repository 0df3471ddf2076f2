import { expect, it } from "vitest";
import { keptByNpm } from "../../cli/npm-options";

const options = ["json", "html", "gpu-model", "ca"];
const inScript = { npm_lifecycle_event: "plan", npm_command: "run" };

it("tells of every option that npm kept, with how to write it", () => {
  const env = { ...inScript, npm_config_html: "true", npm_config_gpu_model: "true" };
  expect(keptByNpm("plan", options, ["dev", "plan.html"], env)).toBe(
    "npm kept --html and --gpu-model for itself: options of the command follow --, as in npm run plan -- dev --html --gpu-model",
  );
});

it("tells of them to npm start, too", () => {
  const env = { npm_lifecycle_event: "start", npm_command: "start", npm_config_json: "true" };
  expect(keptByNpm("plan", options, ["dev"], env)).toContain("as in npm run plan -- dev --json");
});

it.each([
  ["an option that came through", ["dev", "--json"], { ...inScript, npm_config_json: "true" }],
  ["an option with a value that came through", ["dev", "--html=x"], { ...inScript, npm_config_html: "true" }],
  ["settings of npm itself", ["dev"], { ...inScript, npm_config_ca: "true", npm_config_cache: "/x" }],
  ["npx, which keeps nothing", ["dev"], { npm_lifecycle_event: "npx", npm_command: "exec", npm_config_json: "true" }],
  ["no npm", ["dev"], { npm_config_json: "true" }],
  ["another script", ["dev"], { ...inScript, npm_lifecycle_event: "test", npm_config_json: "true" }],
])("is silent about %s", (_, argv, env) => {
  expect(keptByNpm("plan", options, argv, env)).toBeUndefined();
});
