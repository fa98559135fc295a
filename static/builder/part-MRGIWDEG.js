import{a,b,c}from"./part-KGOH7PI3.js";import"./part-X5LYM7NI.js";import"./part-AF6PJWXS.js";import"./part-7WDLC2OI.js";import"./part-K4SABGCS.js";export{b as levelsOf,c as tidied,a as tidy};
