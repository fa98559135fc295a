import{a,b,c}from"./part-H2Q77ZI6.js";import"./part-BCP454SF.js";import"./part-ZFCYCC7H.js";import"./part-7WDLC2OI.js";import"./part-K4SABGCS.js";export{b as levelsOf,c as tidied,a as tidy};
