import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvalidModelName } from "../../../services/model-control/src/errors";
import { modelNamePattern, type NameRules, parseModelName } from "../../../services/model-control/src/model-name";

const RULES: NameRules = {
  registries: ["registry.ollama.ai", "hf.co", "127.0.0.1:5000"],
  fixed: ["meta/Llama-3.1-8B"],
};

describe("model names", () => {
  it.each([
    ["llama3.2", "llama3.2:latest"],
    ["llama3.2:3b", "llama3.2:3b"],
    ["library/llama3.2:3b", "llama3.2:3b"],
    ["registry.ollama.ai/library/llama3.2:3b", "llama3.2:3b"],
    ["Registry.Ollama.AI/library/llama3.2:3b", "llama3.2:3b"],
    ["me/mine", "me/mine:latest"],
    ["hf.co/user/repo:Q4_K_M", "hf.co/user/repo:Q4_K_M"],
    ["127.0.0.1:5000/library/tiny:latest", "127.0.0.1:5000/library/tiny:latest"],
    ["meta/Llama-3.1-8B", "meta/Llama-3.1-8B"],
  ])("spells %s as %s", (given, expected) => {
    expect(parseModelName(given, RULES)).toBe(expected);
  });

  it.each([
    "",
    " ",
    "..",
    "../../etc/passwd",
    "a/../b",
    "hf.co/../x:1",
    "/etc/passwd",
    "a//b",
    "a b",
    "a:b:c",
    "a\nb",
    "a%2Fb",
    "http://169.254.169.254/latest/meta-data",
    "user@hf.co/a/b",
    "hf.co/a/b/c/d",
    "model?x=1",
    "model#x",
    "модель",
    "a".repeat(81),
    "a/".repeat(5000),
  ])("refuses %j by its grammar", (name) => {
    expect(() => parseModelName(name, RULES)).toThrow(/is not a model name; allowed: \[host/);
  });

  it.each([
    "169.254.169.254/latest/meta",
    "localhost:6379/a/b",
    "evil.example/a/b",
    "hf.co:8080/a/b",
    "hf.co.evil.example/a/b",
  ])("refuses the registry of %s", (name) => {
    expect(() => parseModelName(name, RULES)).toThrow(
      /registry ".*" is not allowed; allowed: registry.ollama.ai, hf.co/,
    );
  });

  it("shows only the beginning of what is too long", () => {
    expect(() => parseModelName("x".repeat(100_000), RULES)).toThrow(/^.{0,250}$/);
  });

  it("is the same however often it is spelled, and either parses or says why not", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z0-9_.:/-]{1,40}$/), (text) => {
        try {
          const once = parseModelName(text, RULES);
          expect(parseModelName(once, RULES)).toBe(once);
          expect(once).not.toMatch(/\.\.\/|\/\.\.|\/\/|^\//);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidModelName);
        }
      }),
    );
  });

  it("describes the same names in its pattern", () => {
    const pattern = new RegExp(modelNamePattern(RULES));
    fc.assert(
      fc.property(
        fc.stringMatching(/^(hf\.co\/|evil\.example\/)?([a-z_-]{1,4}\/)?[a-z.]{1,4}(:[a-z0-9]{1,3})?$/),
        (text) => {
          const parsed = (() => {
            try {
              parseModelName(text, RULES);
              return true;
            } catch {
              return false;
            }
          })();
          expect(pattern.test(text)).toBe(parsed);
        },
      ),
    );
  });
});
