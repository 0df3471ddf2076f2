import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { leastDriver } from "../../catalog/cuda-drivers";
import { imageEntry } from "../../catalog/images";
import { leastRocmDriver } from "../../catalog/rocm-drivers";
import { repositoryRoot } from "../../names/repository-root";

const nvidiaPage = readFileSync(join(repositoryRoot(), "docs", "environments", "edge-nvidia.md"), "utf8");
const page = readFileSync(join(repositoryRoot(), "docs", "environments", "edge-radeon.md"), "utf8");

it("the page of Radeon names the driver that the images need", () => {
  const { rocm = "" } = imageEntry("vllm-rocm");
  expect(page).toContain(`release ${leastRocmDriver(rocm)} or newer of AMD's package (the images bring ROCm ${rocm};`);
});

it("the page of GeForce names the driver that the images need", () => {
  const needed = ["vllm-cuda", "triton-trtllm"].map((image) => leastDriver(imageEntry(image).cuda ?? 0) ?? 0);
  expect(nvidiaPage).toContain(`NVIDIA driver ${Math.max(...needed)} or newer`);
});
