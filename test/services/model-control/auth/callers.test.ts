import { describe, expect, it } from "vitest";
import {
  authorize,
  authorizeModel,
  Forbidden,
  identify,
  ModelNotAllowed,
  Unauthenticated,
} from "../../../../services/model-control/src/auth/callers";
import { TOKENS } from "../api";

describe("callers", () => {
  it.each([
    ["Bearer operate-token", "operator"],
    ["bearer read-token", "viewer"],
    ["Bearer   read-token", "viewer"],
  ])("knows who gives %j", (header, id) => {
    expect(identify(header, TOKENS)?.id).toBe(id);
  });

  it.each([
    undefined,
    "",
    "Bearer",
    "Bearer ",
    "Bearer wrong",
    "Bearer operate-token2",
    "Bearer operate-token extra",
    "Basic b3BlcmF0ZS10b2tlbg==",
    "operate-token",
    `Bearer ${TOKENS[0]?.sha256}`,
    `Bearer ${"x".repeat(100_000)}`,
  ])("does not know %j", (header) => {
    expect(identify(header, TOKENS)).toBeUndefined();
  });

  it("lets a caller do what the token's scopes say", () => {
    const [operator, viewer] = TOKENS;
    expect(() => authorize(operator, "operate")).not.toThrow();
    expect(() => authorize({ id: "o", scopes: ["operate"] }, "read")).not.toThrow();
    expect(() => authorize(viewer, "read")).not.toThrow();
    expect(() => authorize(viewer, "operate")).toThrow(Forbidden);
    expect(() => authorize(undefined, "read")).toThrow(Unauthenticated);
  });

  it("has those models answer that a token names, in any spelling, and all where it names none", () => {
    const lab = { id: "lab", scopes: ["infer"], models: ["llama3.2", "assistant"] } as const;
    for (const model of ["llama3.2:latest", "assistant", "assistant:latest"]) {
      expect(() => authorizeModel(lab, model)).not.toThrow();
      expect(() => authorizeModel({ id: "o", scopes: ["operate"] }, model)).not.toThrow();
    }
    expect(() => authorizeModel(lab, "qwen3:8b")).toThrow(ModelNotAllowed);
    expect(() => authorizeModel({ ...lab, models: [] }, "assistant")).toThrow("it may: none");
  });
});
