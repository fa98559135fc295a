import{a,b,c}from"./part-DWE4SLPJ.js";import"./part-WJ7ZIM36.js";import"./part-SJC7TCXX.js";import"./part-7WDLC2OI.js";import"./part-K4SABGCS.js";export{b as levelsOf,c as tidied,a as tidy};
