import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { huggingFaceToken, storeKeys } from "../../../components/storage/scripts/credentials.ts";
import { repositoryRoot } from "../../../names/repository-root";
import { deploy } from "../../harness/deploy";
import { modelStore } from "./fixture";

const folder = mkdtempSync(join(tmpdir(), "credentials-"));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

function fileWith(text: string): string {
  const path = join(folder, "credentials");
  writeFileSync(path, text);
  return path;
}

describe("storeKeys", () => {
  it("reads what the Secret of a user holds", async () => {
    const deployment = await deploy(() => void modelStore());
    const { stringData } = deployment.resource("kubernetes:core/v1:Secret", "storage-sync-keys").inputs;
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", fileWith((stringData as { credentials: string }).credentials));
    const { accessKeyId, secretAccessKey } = storeKeys();
    expect(accessKeyId).toMatch(/^offline-storage-name-sync-writer/);
    expect(secretAccessKey).toMatch(/^offline-storage-key-sync-writer/);
  });

  it("names the file and what is wrong with it", () => {
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "");
    expect(storeKeys).toThrow("the environment variable AWS_SHARED_CREDENTIALS_FILE is not set");
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", join(folder, "absent"));
    expect(storeKeys).toThrow(`cannot read ${join(folder, "absent")}: ENOENT`);
    const path = fileWith("[default]\naws_access_key_id = a\n");
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", path);
    expect(storeKeys).toThrow(`${path} has no line "aws_secret_access_key = …"`);
  });
});

describe("huggingFaceToken", () => {
  it("is the content of the file, where there is one", () => {
    vi.stubEnv("HF_TOKEN_PATH", undefined);
    expect(huggingFaceToken()).toBeUndefined();
    vi.stubEnv("HF_TOKEN_PATH", fileWith("hf_example\n"));
    expect(huggingFaceToken()).toBe("hf_example");
  });
});

describe("provision.sh", () => {
  it.each(["", "\n"])("logs in with the administrator's files, %j at their end", async (end) => {
    const bin = join(folder, "bin");
    mkdirSync(bin, { recursive: true });
    // Says what the real mc is told, and stops the script after its first command.
    writeFileSync(join(bin, "mc"), '#!/bin/sh\necho "$* as $MC_HOST_store"\nexit 3\n');
    chmodSync(join(bin, "mc"), 0o755);
    writeFileSync(join(folder, "user"), `root${end}`);
    writeFileSync(join(folder, "password"), `Passw0rd${end}`);
    const env = {
      PATH: `${bin}:${process.env.PATH}`,
      ROOT_USER_FILE: join(folder, "user"),
      ROOT_PASSWORD_FILE: join(folder, "password"),
      STORE_HOST: "minio.model-store.svc:9000",
      BUCKET: "models",
    };
    const script = join(repositoryRoot(), "components", "storage", "scripts", "provision.sh");
    await expect(promisify(execFile)("sh", [script], { env })).rejects.toMatchObject({
      code: 3,
      stdout: "ready store as https://root:Passw0rd@minio.model-store.svc:9000\n",
    });
  });
});
