/** A real Triton that serves the model `llama`, made by what is rendered for a checkpoint; the model's code is the test's. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LLMAPI_CODE } from "../../../engines/triton/llmapi";
import { makeRepository, render, tritonPlan, withRepository } from "./rendered";
import { type RealTriton, startTriton } from "./server";

export class RealTritonModel {
  private constructor(
    private readonly triton: RealTriton,
    private readonly folder: string,
  ) {}

  static async start(): Promise<RealTritonModel> {
    const folder = mkdtempSync(join(tmpdir(), "inference-stacks-triton-"));
    try {
      const image = Object.fromEntries(
        LLMAPI_CODE.files.map((file) => [
          `${LLMAPI_CODE.folder}/${file}`,
          readFileSync(join(__dirname, "models", file), "utf8"),
        ]),
      );
      const rendered = await render(tritonPlan());
      const repository = await makeRepository(rendered, folder, image);
      return new RealTritonModel(await startTriton(withRepository(rendered.args, repository)), folder);
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  get url(): string {
    return this.triton.url;
  }

  get metricsUrl(): string {
    return this.triton.metricsUrl;
  }

  get port(): number {
    return Number(new URL(this.triton.url).port);
  }

  get process(): RealTriton["process"] {
    return this.triton.process;
  }

  async stop(): Promise<void> {
    await this.triton.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
