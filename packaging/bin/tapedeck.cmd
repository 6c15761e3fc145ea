@echo off
rem The command line of the installed app (Windows). Waits for it and hands its exit code on.
"%~dp0..\..\Tapedeck.exe" %*
