import{a,b,c}from"./part-3OUGE5WE.js";import"./part-ILDTB7PZ.js";import"./part-ZFCYCC7H.js";import"./part-7WDLC2OI.js";import"./part-K4SABGCS.js";export{b as levelsOf,c as tidied,a as tidy};
