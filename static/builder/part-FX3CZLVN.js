import{a,b,c}from"./part-KLRKISHE.js";import"./part-PEUMF35R.js";import"./part-YCIEL6CO.js";import"./part-7WDLC2OI.js";import"./part-K4SABGCS.js";export{b as levelsOf,c as tidied,a as tidy};
