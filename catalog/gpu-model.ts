/** What the catalogue says of a GPU, and of the GPUs of a machine. */

/** Device plugins' resource names, also keys of GPU taints. */
export type CardResource = "nvidia.com/gpu" | "amd.com/gpu";
/** What pods ask for: whole cards, MIG slices by their profile, or turns on shared cards. */
export type GpuResource = CardResource | `nvidia.com/mig-${string}` | "nvidia.com/gpu.shared";

/** Slices of each card, if pods get these. */
export interface GpuSlice {
  /** `mig` separates memory and multiprocessors; `time-slices` do not. */
  readonly kind: "mig" | "time-slices";
  /** MIG profile of every slice: "1g.10gb". */
  readonly profile?: string;
  /** Slices of each card. */
  readonly perGpu: number;
  /** Cards of the machine. */
  readonly cards: number;
}

/** What decides whether an engine starts on a card, and in which number formats it computes. */
export interface CardAbilities {
  /** NVIDIA: what device code is compiled for, e.g. 8.9. */
  readonly computeCapability?: number;
  /** AMD: the compiler's target, e.g. "gfx1100". */
  readonly gfx?: string;
  readonly bf16: boolean;
  /** Multiplies FP8 in hardware; so for the others. */
  readonly fp8: boolean;
  readonly mxfp4: boolean;
  readonly nvfp4: boolean;
  readonly source: string;
}

/** What AMD and the engines say of one of AMD's cards. */
export interface AmdSupport {
  /** AMD's support for the card in our images' ROCm. */
  readonly rocm: "supported" | "unlisted" | "no";
  /** HSA_OVERRIDE_GFX_VERSION of a sibling, "10.3.0"; only if no image has the card's target. */
  readonly hsaOverride?: string;
  /** Engines that are known to serve on it, with the override where there is one. */
  readonly engines: readonly string[];
  readonly source: string;
}

/** Figures of a datasheet that times follow from. */
export interface GpuSpeed {
  /** Bandwidth of the memory, 10^9 bytes a second. */
  readonly memoryGBs: number;
  /** 10^12 operations a second, dense, with sums in 32 bits. @default tflops.dense16 */
  readonly dense16?: number;
  /** The same in FP8 and FP4; undefined where the card multiplies no such numbers. */
  readonly dense8?: number;
  readonly dense4?: number;
  /** NVLink or xGMI, 10^9 bytes a second, one way per card. */
  readonly linkGBs?: number;
  /** PCIe, one way. */
  readonly pcieGBs: number;
  readonly source: string;
}

/** One GPU model (shapes/gpus.json). */
export interface GpuModel {
  readonly model: string;
  readonly vendor: "nvidia" | "amd";
  /** Micro-architecture in lower case, e.g. "hopper", "cdna3". */
  readonly arch: string;
  /** Undefined: not read, so that what runs on it is not known. */
  readonly abilities?: CardAbilities;
  /** Undefined: not read. */
  readonly tflops?: {
    /** 10^12 operations a second in 16-bit numbers, dense: the peak of the vendor's datasheet. */
    readonly dense16: number;
    readonly source: string;
  };
  /** Undefined: not read, so that how fast it serves is not known. */
  readonly speed?: GpuSpeed;
  /** On a board with NVLink; a machine with one card also has the board's memory power. */
  readonly nvlinkBoard?: true;
  /** NVIDIA: what `nvidia-smi` calls it. Undefined: not read. */
  readonly reported?: { readonly names: readonly string[]; readonly source: string };
  /** AMD only. */
  readonly support?: AmdSupport;
  /** Vendor's figure, in the vendor's "GB". */
  readonly memoryGB: number;
  /** Total that the driver reports (nvidia-smi, rocm-smi), GiB. */
  readonly memoryGiB: number;
  /** Total that a process sees (cudaMemGetInfo): what vLLM multiplies by gpu_memory_utilization. GiB. */
  readonly engineMemoryGiB: number;
  readonly memorySource: string;
  readonly engineMemorySource: string;
  readonly notes: string;
}

/** The GPUs of one machine. */
export interface GpuSpec extends Omit<GpuModel, "memorySource" | "engineMemorySource" | "notes"> {
  readonly count: number;
  /** Between GPUs. AMD Instinct has xGMI: false; undefined: unknown. */
  readonly nvlink?: boolean;
  /** Extended resource that a pod asks for. */
  readonly resource: GpuResource;
  /** Slice that `count` and `memoryGiB` refer to (planner/slices.ts). @default whole cards */
  readonly slice?: GpuSlice;
}
