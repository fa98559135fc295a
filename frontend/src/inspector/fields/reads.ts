import { createContext } from "react";
import type { ScopePlace } from "../expression/scope";

/** Where expressions may stand, and what they can read there. Null: none may. */
export const Reads = createContext<ScopePlace | null>(null);
