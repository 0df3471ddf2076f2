export type { MeshMode } from "../../planner/mesh-reserve";
